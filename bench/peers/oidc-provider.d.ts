// The part of oidc-provider that the benchmark uses. The package has no types.
declare module 'oidc-provider' {
  interface Saved {
    save(): Promise<string>
  }
  class Provider {
    constructor(issuer: string, configuration: object)
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    Client: { find(id: string): Promise<object | undefined> }
    Grant: new (
      given: object,
    ) => Saved & { addOIDCScope(scope: string): void }
    AuthorizationCode: new (
      given: object,
    ) => Saved
  }

  export { Provider }
}
type IncomingMessage = import('node:http').IncomingMessage
type ServerResponse = import('node:http').ServerResponse
