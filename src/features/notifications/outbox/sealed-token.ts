/** A token in a message that waits: only who sends it reads it. */
import type { App } from '../../../app.ts'

type Sealing = Pick<App, 'secrets'>

/** Names what was sealed for messages: nothing else opens it. */
const purpose = 'mail_contents.sealed_token'

export function sealToken({ secrets }: Sealing, token: string): string {
  return secrets.seal(token, purpose)
}

export function unsealToken({ secrets }: Sealing, sealed: string): string {
  return secrets.unseal(sealed, purpose)
}
