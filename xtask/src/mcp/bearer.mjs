// The suite has no way to be given a token: every request that it makes to the server gets one here, on its way into the socket.
import net from 'node:net';

const write = net.Socket.prototype.write;
const head = /^((?:GET|POST|DELETE|PUT|OPTIONS) \/mcp HTTP\/1\.1\r\n)/;

net.Socket.prototype.write = function (chunk, ...rest) {
  if (typeof chunk === 'string' && head.test(chunk)) {
    chunk = chunk.replace(head, `$1authorization: Bearer ${process.env.GUILD_TOKEN}\r\n`);
  }
  return write.call(this, chunk, ...rest);
};
