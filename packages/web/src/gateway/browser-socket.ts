import type { Socket } from './connection.ts'

/** The browser's WebSocket behind the port of the connection. The cookie says who it is. */
export function openBrowserSocket(url: string): Socket {
  const web = new WebSocket(url)
  const socket: Socket = {
    send: text => {
      if (web.readyState === WebSocket.OPEN) web.send(text)
    },
    close: code => web.close(code),
    onMessage: () => {},
    onClose: () => {},
  }
  web.onmessage = event => {
    if (typeof event.data === 'string') socket.onMessage(event.data)
  }
  web.onclose = event => socket.onClose(event.code)
  return socket
}
