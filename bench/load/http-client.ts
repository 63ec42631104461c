import { Client, type Dispatcher, util } from 'undici'

export interface HttpRequest {
  method: string
  path: string
  headers?: Readonly<Record<string, string>>
  body?: string
}

export interface HttpResponse {
  status: number
  /** Parses the headers, which takes CPU time. The names are in lower case. */
  headers(): Record<string, string | string[]>
  body: string
}

/**
 * A persistent connection with one request in flight. It uses the handlers of undici, because its promise API takes more
 * CPU time from the measured process.
 */
export class HttpConnection {
  readonly #client: Client

  constructor(port: number) {
    this.#client = new Client(`http://127.0.0.1:${port}`, { pipelining: 1 })
  }

  /** Rejects if the connection closes before the response ends. */
  request({ method, path, headers = {}, body }: HttpRequest): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      let status = 0
      let rawHeaders: Buffer[] = []
      let text = ''
      this.#client.dispatch(
        // The methods of the benchmarks are valid.
        { method: method as Dispatcher.HttpMethod, path, headers, body: body ?? null },
        {
          onConnect: () => undefined,
          onError: reject,
          onHeaders(statusCode, received) {
            status = statusCode
            rawHeaders = received
            return true
          },
          onData(chunk) {
            text += chunk.toString('latin1')
            return true
          },
          onComplete: () => resolve({ status, headers: () => util.parseHeaders(rawHeaders), body: text }),
        },
      )
    })
  }

  close(): void {
    void this.#client.destroy()
  }
}
