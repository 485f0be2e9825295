import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes connections that do not begin a request soon, so that those who only hold them stand in nobody's
/// way for long.
final class RequestDeadline: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart

  private var closing: Scheduled<Void>?
  private static let patience = TimeAmount.seconds(5)

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    closing = context.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { closing?.cancel() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    closing?.cancel()
    closing = nil
    context.fireChannelRead(data)
  }
}
