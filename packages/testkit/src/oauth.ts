/** The steps of an OAuth client in tests. */
export {
  authorizePath,
  codeFor,
  credentialsOf,
  decide,
  exchangeCode,
  makeApplication,
  post,
  refresh,
  type TestApplication,
  type Tokens,
  tokensFor,
  userinfo,
} from '../../server/src/oauth/oauth-testing.ts'
