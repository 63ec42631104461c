/** RFC 6238 as every authenticator app has it: SHA-1, six digits, steps of 30 seconds. */
const period = 30
const digits = 6

// Loaded where they are used: the start of the service does not wait for them.
const otp = () => import('otplib')
const qr = () => import('uqr')

/** A new secret of 160 bits in base32. */
export async function makeTotpSecret(): Promise<string> {
  return (await otp()).generateSecret({ length: 20 })
}

/** What an app takes in (the format is Google Authenticator's), and the same as a picture. */
export async function describeTotp(
  secret: string,
  { issuer, username }: { issuer: string; username: string },
): Promise<{ uri: string; qr: string }> {
  const uri = (await otp()).generateURI({ issuer, label: username, secret, digits, period })
  const { renderSVG } = await qr()
  // Light squares behind dark ones, whatever the page around them: readers need the contrast and the border.
  return { uri, qr: renderSVG(uri, { ecc: 'M', border: 4, whiteColor: '#ffffff', blackColor: '#000000' }) }
}

/**
 * The step whose code it is: the present one, that before, that after (RFC 6238 §5.2). Undefined for any other code.
 * `now` in milliseconds.
 */
export async function stepOf(secret: string, code: string, now: number): Promise<number | undefined> {
  if (!isTotpCode(code)) return undefined
  const { verify } = await otp()
  const epoch = Math.floor(now / 1000)
  const result = await verify({ secret, token: code, epoch, epochTolerance: period, period, digits })
  return result.valid && 'timeStep' in result ? result.timeStep : undefined
}

/** Whether it looks like a code of an app, and not like a recovery code. */
export function isTotpCode(code: string): boolean {
  return /^\d{6}$/.test(code)
}

/** Names the secret in the sealed value: opened for another person, it does not open. */
export function sealContext(userId: string): string {
  return `second-factor:${userId}:totp`
}
