/** A token in a waiting message, which is only unsealed to send it. */
import type { App } from '../../../app.ts'

type Sealing = Pick<App, 'secrets'>

/** The purpose of the sealed value: it can't be unsealed for any other. */
const purpose = 'mail_contents.sealed_token'

export function sealToken({ secrets }: Sealing, token: string): string {
  return secrets.seal(token, purpose)
}

export function unsealToken({ secrets }: Sealing, sealed: string): string {
  return secrets.unseal(sealed, purpose)
}
