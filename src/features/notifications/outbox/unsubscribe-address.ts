/** URLs with which the recipient of a message unsubscribes without signing in. */
import type { App } from '../../../app.ts'

/** The purpose of the seal: values for other purposes can't be opened. */
const unsubscribePurpose = 'sent_notifications'

export interface Unsubscription {
  user_id: number
  issue_id: number | null
  merge_request_id: number | null
}

/** `page` is for people, `one_click` takes what mail programs send (RFC 8058). */
export function unsubscribeAddresses(
  { config, secrets }: Pick<App, 'config' | 'secrets'>,
  { user_id, issue_id, merge_request_id }: Unsubscription,
): { page: string; one_click: string } {
  const key = secrets.seal(JSON.stringify([user_id, issue_id, merge_request_id]), unsubscribePurpose)
  const at = `${config.url}/sent_notifications/${key}`
  return { page: `${at}/unsubscribe`, one_click: `${at}/one_click` }
}

/** Null if this instance did not create it. */
export function readUnsubscription({ secrets }: Pick<App, 'secrets'>, key: string): Unsubscription | null {
  try {
    const [user_id, issue_id, merge_request_id] = JSON.parse(secrets.unseal(key, unsubscribePurpose))
    return { user_id, issue_id, merge_request_id }
  } catch {
    return null
  }
}
