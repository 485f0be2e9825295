import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Synchronization

/// The open connections of a server, and the limits of those without a token.
///
/// A connection is a stranger's until a request with a token came over it. A stranger's connection ends after
/// its first answer, or after some seconds. If strangers have too many, the oldest one is closed, so that
/// whoever has a token always gets in.
final class ConnectionPool: Sendable {
  /// What connections may cost.
  struct Limits: Sendable {
    /// The maximum number of connections without a token.
    var strangers = 128
    /// The maximum number of connections of one address, or `nil` for any number.
    var ofOneAddress: Int?
    /// The time for the start of a request.
    var start = TimeAmount.seconds(5)
    /// The life of a connection without a token.
    var strangersLife = TimeAmount.seconds(10)
    /// How long a client may take none of an answer.
    var stall = TimeAmount.seconds(20)
    /// The bytes and the time of a refused body that are still read, so that the client gets its answer.
    var drainedBytes = 256 << 10
    var drainTime = TimeAmount.seconds(1)
    /// The size of all answers together that clients have not read, in bytes.
    var unreadBytes = 128 << 20
  }

  private struct Entry {
    var number: Int
    var address: String
    var isKnown = false
    /// Whether it may have more than one answer.
    var isKept = false
    /// Whether it is closed, or will be in a moment.
    var isEvicted = false
    var isStranger: Bool { !isKnown && !isEvicted }
    var hangups: [Int: @Sendable () -> Void] = [:]
    var socket: NIOLoopBound<ChannelHandlerContext>
  }

  private struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    /// The number of connections and hang-ups so far.
    var count = 0
    var addresses: [String: Int] = [:]
    var unread = 0
  }

  let limits: Limits
  private let state = Mutex(State())

  init(_ limits: Limits = Limits()) { self.limits = limits }

  /// The number of open connections without a token.
  var strangerCount: Int { state.withLock { $0.entries.values.count { $0.isStranger } } }

  /// Adds a connection; returns whether its address may have one more.
  fileprivate func add(_ channel: any Channel, socket: NIOLoopBound<ChannelHandlerContext>) -> Bool
  {
    let address = channel.remoteAddress?.ipAddress ?? ""
    let id = ObjectIdentifier(channel)
    let (isAllowed, evicted) = state.withLock { state -> (Bool, Entry?) in
      if let most = limits.ofOneAddress, state.addresses[address, default: 0] >= most {
        return (false, nil)
      }
      state.addresses[address, default: 0] += 1
      let strangers = state.entries.filter(\.value.isStranger)
      let oldest =
        strangers.count < limits.strangers
        ? nil : strangers.min { $0.value.number < $1.value.number }
      // Many more may come before it is closed, and each closes another one.
      if let oldest { state.entries[oldest.key]?.isEvicted = true }
      state.count += 1
      state.entries[id] = Entry(number: state.count, address: address, socket: socket)
      return (true, oldest?.value)
    }
    if let evicted { Self.close(evicted) }
    guard isAllowed else { return false }
    channel.closeFuture.whenComplete { [self] _ in
      let entry = state.withLock { state -> Entry? in
        guard let entry = state.entries.removeValue(forKey: id) else { return nil }
        state.addresses[entry.address] = state.addresses[entry.address].flatMap {
          $0 > 1 ? $0 - 1 : nil
        }
        return entry
      }
      for hangup in (entry?.hangups ?? [:]).values { hangup() }
    }
    return true
  }

  /// Calls `body` if a connection is closed before this is forgotten, or is closed already.
  func onClose(of channel: any Channel, _ body: @escaping @Sendable () -> Void) -> Int? {
    let number = state.withLock { state -> Int? in
      guard state.entries[ObjectIdentifier(channel)] != nil else { return nil }
      state.count += 1
      state.entries[ObjectIdentifier(channel)]?.hangups[state.count] = body
      return state.count
    }
    if number == nil { body() }
    return number
  }

  /// Forgets what ``onClose(of:_:)`` was asked to call.
  func forget(_ number: Int, of channel: any Channel) {
    state.withLock { $0.entries[ObjectIdentifier(channel)]?.hangups[number] = nil }
  }

  /// Notes that a request with a token came over a connection.
  ///
  /// With a cookie alone, which is not a whole proof, the connection has more than one answer, and is a
  /// stranger's otherwise.
  func trust(_ channel: any Channel, isWhole: Bool = true) {
    state.withLock { state in
      state.entries[ObjectIdentifier(channel)]?.isKept = true
      if isWhole { state.entries[ObjectIdentifier(channel)]?.isKnown = true }
    }
  }

  /// Returns whether a request with a token came over a connection.
  fileprivate func isKnown(_ channel: any Channel) -> Bool {
    state.withLock { $0.entries[ObjectIdentifier(channel)]?.isKnown ?? false }
  }

  /// Returns whether a connection may have another answer.
  fileprivate func isKept(_ channel: any Channel) -> Bool {
    state.withLock { $0.entries[ObjectIdentifier(channel)]?.isKept ?? false }
  }

  /// Closes a connection at once: TLS would wait for the other side, and read on meanwhile.
  func close(_ channel: any Channel) {
    if let entry = state.withLock({ $0.entries[ObjectIdentifier(channel)] }) { Self.close(entry) }
  }

  private static func close(_ entry: Entry) {
    let socket = entry.socket
    socket.execute { $0.close(promise: nil) }
  }

  /// Counts bytes of an answer until the client took them; returns whether there is room for them.
  fileprivate func addUnread(_ count: Int) -> Bool {
    state.withLock { state in
      guard state.unread + count <= limits.unreadBytes else { return false }
      state.unread += count
      return true
    }
  }

  fileprivate func removeUnread(_ count: Int) { state.withLock { $0.unread -= count } }
}

extension NIOLoopBound where Value == ChannelHandlerContext {
  fileprivate func execute(_ body: @escaping @Sendable (ChannelHandlerContext) -> Void) {
    eventLoop.execute { body(self.value) }
  }
}

/// Closes connections that cost too much.
///
/// Those are slow ones, those that send what nobody reads, and those that do not read their answers. The pool
/// knows which of them have a token.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private enum Stage {
    case waiting, receiving, received
    /// The last answer is given; what still comes is dropped.
    case draining(Int)
  }

  private let pool: ConnectionPool
  private var stage = Stage.waiting
  private var isLast = false
  private var start: Scheduled<Void>?
  private var life: Scheduled<Void>?
  private var stall: Scheduled<Void>?
  private var unreadCount = 0

  init(_ pool: ConnectionPool) { self.pool = pool }

  private func closing(
    _ context: ChannelHandlerContext, in time: TimeAmount,
    unless isFine: @escaping () -> Bool = { false }
  ) -> Scheduled<Void> {
    let channel = context.channel
    return context.eventLoop.assumeIsolated().scheduleTask(in: time) { [pool] in
      if !isFine() { pool.close(channel) }
    }
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    let socket = Socket()
    do { try context.pipeline.syncOperations.addHandler(socket, position: .first) } catch {
      return channel.close(promise: nil)
    }
    guard let outermost = socket.context,
      pool.add(channel, socket: NIOLoopBound(outermost, eventLoop: context.eventLoop))
    else { return channel.close(promise: nil) }
    start = closing(context, in: pool.limits.start)
    life = closing(context, in: pool.limits.strangersLife) { [pool] in pool.isKnown(channel) }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    for timer in [start, life, stall] { timer?.cancel() }
  }

  func channelInactive(context: ChannelHandlerContext) {
    for timer in [start, life, stall] { timer?.cancel() }
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    start?.cancel()
    start = nil
    let part = unwrapInboundIn(data)
    if case .draining(let count) = stage {
      switch part {
      case .head: break
      case .body(let bytes):
        stage = .draining(count + bytes.readableBytes)
        if count + bytes.readableBytes > pool.limits.drainedBytes { pool.close(context.channel) }
      case .end: context.close(promise: nil)
      }
      return
    }
    switch part {
    case .head: stage = .receiving
    case .body: break
    case .end: stage = .received
    }
    context.fireChannelRead(data)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // A browser that gives up closes its side. Work for it ends with the connection.
    if case .inputClosed? = event as? ChannelEvent { pool.close(context.channel) }
    context.fireUserInboundEventTriggered(event)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head):
      // Otherwise the server would read the rest of a body that it refused, however long it is.
      if case .receiving = stage { isLast = true }
      if !pool.isKept(context.channel) { isLast = true }
      if isLast { head.headerFields[.connection] = "close" }
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body(let bytes): write(bytes, context, promise)
    case .end:
      guard isLast else { return context.write(data, promise: promise) }
      context.writeAndFlush(data, promise: promise)
      if case .receiving = stage {
        stage = .draining(0)
        life?.cancel()
        life = closing(context, in: pool.limits.drainTime)
      } else {
        context.close(promise: nil)
      }
    }
  }

  /// Writes a part of an answer, and closes the connection if the client does not take it.
  private func write(
    _ bytes: ByteBuffer, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?
  ) {
    let count = bytes.readableBytes
    guard pool.addUnread(count) else {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return pool.close(context.channel)
    }
    unreadCount += count
    if stall == nil { stall = closing(context, in: pool.limits.stall) }
    let taken = promise ?? context.eventLoop.makePromise()
    taken.futureResult.assumeIsolated().whenComplete { [self] _ in
      pool.removeUnread(count)
      unreadCount -= count
      stall?.cancel()
      stall = unreadCount > 0 ? closing(context, in: pool.limits.stall) : nil
    }
    context.write(wrapOutboundOut(.body(bytes)), promise: taken)
  }
}

/// Remembers the outermost place of a connection, from which it is closed without waiting for TLS.
private final class Socket: ChannelOutboundHandler, RemovableChannelHandler {
  typealias OutboundIn = IOData

  private(set) var context: ChannelHandlerContext?

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }
  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }
}
