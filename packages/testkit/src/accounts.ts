/** The steps of users in tests: mails, verification of the email address, second factors. */
export {
  addTotp,
  createAuthenticator,
  factorsPath,
  totpCode,
} from '../../server/src/accounts/second-factor/second-factor-testing.ts'
export { mailsTo, mailToken, password, verifyEmail } from '../../server/src/accounts/users/users-testing.ts'
