/** Messages of actions. */
import type { Browser } from './browser.ts'

/** The message on the page to which an action has redirected. */
export async function noticeAt(browser: Browser, address: string | undefined): Promise<string> {
  const { text } = await browser.get((address ?? '/').replace(/#.*/, ''))
  const [, notice = ''] = /<p class="notice"[^>]*>(.*?)<\/p>/s.exec(text) ?? []
  return notice.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
