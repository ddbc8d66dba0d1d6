/** A token in a pending message: only the sender of mail reads it. */
import type { App } from '../../../app.ts'

type Sealing = Pick<App, 'secrets'>

/** The purpose of the seal: values for other purposes can't be opened. */
const purpose = 'mail_contents.sealed_token'

export function sealToken({ secrets }: Sealing, token: string): string {
  return secrets.seal(token, purpose)
}

export function unsealToken({ secrets }: Sealing, sealed: string): string {
  return secrets.unseal(sealed, purpose)
}
