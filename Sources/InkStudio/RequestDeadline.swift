import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes connections that do not start a request soon, so that idle ones do not block others.
final class RequestDeadline: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart

  private var closing: Scheduled<Void>?
  private static let timeout = TimeAmount.seconds(5)

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    closing = context.eventLoop.scheduleTask(in: Self.timeout) { channel.close(promise: nil) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { closing?.cancel() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    closing?.cancel()
    closing = nil
    context.fireChannelRead(data)
  }
}
