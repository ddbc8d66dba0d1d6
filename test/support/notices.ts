/** What actions say they have done. */
import type { Browser } from './browser.ts'

/** What the page an action led to says it has done. */
export async function noticeAt(browser: Browser, address: string | undefined): Promise<string> {
  const { text } = await browser.get((address ?? '/').replace(/#.*/, ''))
  const [, notice = ''] = /<p class="notice"[^>]*>(.*?)<\/p>/s.exec(text) ?? []
  return notice.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
