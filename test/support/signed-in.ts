/** A browser in which a user of a test is signed in. */
import { type Browser, browserOf } from './browser.ts'
import type { Forge, TestUser } from './forge.ts'

export const password = 'correct horse battery'

/** The user needs a password. Throws where the form refuses them. */
export async function signedIn(forge: Forge, user: TestUser): Promise<Browser> {
  const browser = browserOf(forge.server)
  const sent = { login: user.username, password: user.password ?? password }
  const { status } = await browser.submit('/users/sign_in', '/users/sign_in', sent)
  if (status !== 303) throw new Error(`${user.username} could not sign in: ${status}`)
  return browser
}

/** What the page an action led to says it has done. */
export async function noticeAt(browser: Browser, address: string | undefined): Promise<string> {
  const { text } = await browser.get((address ?? '/').replace(/#.*/, ''))
  const [, notice = ''] = /<p class="notice" role="status">(.*?)<\/p>/s.exec(text) ?? []
  return notice.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
