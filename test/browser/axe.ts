/** axe in a page: for the browser tests and the benchmark. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { CDPSession, Page } from 'playwright-core'

/** Pages that have been looked at: those looked at again get axe with each document, as half a megabyte is dear to send. */
const sessions = new WeakMap<Page, { session: CDPSession; isKept: boolean }>()

let source: Promise<string> | null = null

export interface AxeOptions {
  /** Runs only these rules of axe; all by default. */
  rules?: readonly string[]
  /** Runs all but these. */
  without?: readonly string[]
}

/**
 * The accessibility violations of a page, one per line: rule, element and reason. The page only permits our own scripts, so axe is injected
 * through the protocol of the browser. Links of line numbers are as high as their line: code with 24 px per line would be hard to read, and
 * the keyboard offers the same.
 */
export async function axeOf(page: Page, { rules, without = [] }: AxeOptions = {}): Promise<string[]> {
  source ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  const known = sessions.get(page)
  const { session } = known ?? { session: await page.context().newCDPSession(page) }
  if (!known) sessions.set(page, { session, isKept: false })
  else if (!known.isKept) {
    known.isKept = true
    await session.send('Page.enable')
    await session.send('Page.addScriptToEvaluateOnNewDocument', { source: await source })
  }
  const evaluate = async (expression: string) => {
    const answer = await session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
    if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.exception?.description ?? answer.exceptionDetails.text)
    return answer.result.value
  }
  if (!(await evaluate('Boolean(globalThis.axe)'))) await evaluate(`${await source}; 0`)
  const disabled = Object.fromEntries(without.map((rule) => [rule, { enabled: false }]))
  const options = { resultTypes: ['violations'], rules: disabled, ...(rules && { runOnly: { type: 'rule', values: rules } }) }
  return await evaluate(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes
    .filter(({ target }) => id !== 'target-size' || !document.querySelector(target[0])?.closest('pre, .code, .diff'))
    .map(({ target, failureSummary }) => id + ' ' + target.join(' ') + ': ' + failureSummary.replaceAll(/\\s+/g, ' '))))`)
}
