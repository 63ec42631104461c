/** The steps of users in tests: mails, verification of the email address, second factors. */
export {
  createAuthenticator,
  factorsPath,
  totpCode,
} from '../../server/src/accounts/second-factor/second-factor-testing.ts'
export { mailsTo, mailToken, verifyEmail } from '../../server/src/accounts/users/users-testing.ts'
