/**
 * Diagrams in texts, loaded where one occurs. A sandboxed frame without an origin draws them; what comes back is shown as an image, in
 * which nothing runs and nothing is loaded. Where that fails, the source stays as it was.
 */

import type { Asked, Drawn } from './lib/diagram-messages.ts'
import { t } from './lib/words.ts'

const maxText_chars = 50_000
/** Limit of nodes and what connects them, roughly: layouts take more than linear time. */
const maxWords = 2_000
const maxDrawing_ms = 8_000
const maxLoading_ms = 60_000

/** Draws the diagram of a `<code-block>` when it is about to be seen, and again when its text or the colors of the page change. */
export function showDiagram(block: HTMLElement): void {
  const seen = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      seen.disconnect()
      void draw(block)
      const code = block.querySelector('pre')
      if (code) new MutationObserver(() => void draw(block)).observe(code, { characterData: true, childList: true, subtree: true })
      drawn.add(block)
    },
    { rootMargin: '200px' },
  )
  seen.observe(block)
}

const drawn = new Set<HTMLElement>()
const systemIsDark = matchMedia('(prefers-color-scheme: dark)')

function redrawAll(): void {
  for (const block of drawn) {
    if (block.isConnected) void draw(block)
    else drawn.delete(block)
  }
}
systemIsDark.addEventListener('change', redrawAll)
new MutationObserver(redrawAll).observe(document.documentElement, { attributeFilter: ['data-theme'] })

async function draw(block: HTMLElement): Promise<void> {
  const text = block.querySelector('code.language-mermaid')?.textContent ?? ''
  const picture = await pictureOf(text)
  // Another text may have come meanwhile: it is drawn by itself.
  if (block.querySelector('code.language-mermaid')?.textContent !== text) return
  for (const own of block.querySelectorAll('.diagram, .drawing')) own.remove()
  if (picture === null) {
    block.append(sentence(t`This diagram could not be drawn. Its source is shown instead.`))
    return
  }
  const image = new Image()
  image.className = 'diagram'
  image.alt = t`Diagram: ${/\S.*/.exec(text)?.[0].slice(0, 100) ?? ''}`
  image.dataset.own = ''
  image.src = `data:image/svg+xml,${encodeURIComponent(picture)}`
  block.append(sourceSwitch(), image)
}

function sentence(words: string): HTMLElement {
  const hint = document.createElement('p')
  hint.className = 'drawing hint'
  hint.dataset.own = ''
  hint.textContent = words
  return hint
}

function sourceSwitch(): HTMLElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'drawing'
  button.dataset.own = ''
  button.textContent = t`Source`
  button.setAttribute('aria-pressed', 'false')
  button.addEventListener('click', () => button.setAttribute('aria-pressed', String(button.getAttribute('aria-pressed') !== 'true')))
  return button
}

interface Drawing {
  /** Null once it has failed: nothing more is drawn on this page. */
  frame: HTMLIFrameElement | null
  isReady: Promise<boolean>
}

let drawing: Drawing | null = null
let lastId = 0
/** One at a time. */
let turn: Promise<unknown> = Promise.resolve()

function pictureOf(text: string): Promise<string | null> {
  if (text.length > maxText_chars || (text.match(/[\p{L}\p{N}_]+/gu) ?? []).length > maxWords) return Promise.resolve(null)
  const result = turn.then(() => askFrame(text))
  turn = result
  return result
}

async function askFrame(text: string): Promise<string | null> {
  drawing ??= openFrame()
  const { frame, isReady } = drawing
  if (!frame || !(await isReady)) return null
  const theme = document.documentElement.dataset.theme
  const isDark = theme === 'dark' || (theme !== 'light' && systemIsDark.matches)
  lastId += 1
  const heard = answerOf(frame, lastId, maxDrawing_ms)
  frame.contentWindow?.postMessage({ id: lastId, text, isDark } satisfies Asked, '*')
  const answer = await heard
  // A drawing without an end: its frame goes, with all that it computes.
  if (!answer) close()
  return answer?.picture ?? null
}

function openFrame(): Drawing {
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', 'allow-scripts')
  frame.src = '/assets/diagrams.html'
  frame.title = t`Diagrams`
  frame.className = 'unseen'
  frame.dataset.own = ''
  frame.tabIndex = -1
  frame.setAttribute('aria-hidden', 'true')
  const isReady = answerOf(frame, 0, maxLoading_ms).then((answer) => {
    if (!answer) close()
    return answer !== null
  })
  document.body.append(frame)
  return { frame, isReady }
}

function close(): void {
  drawing?.frame?.remove()
  drawing = { frame: null, isReady: Promise.resolve(false) }
}

/** Null if it doesn't come in time. */
function answerOf(frame: HTMLIFrameElement, id: number, max_ms: number): Promise<Drawn | null> {
  return new Promise((resolve) => {
    const end = (answer: Drawn | null) => {
      removeEventListener('message', listen)
      clearTimeout(timer)
      resolve(answer)
    }
    const listen = ({ data, source }: MessageEvent<Drawn>) => {
      if (source === frame.contentWindow && data.id === id) end(data)
    }
    const timer = setTimeout(end, max_ms, null)
    addEventListener('message', listen)
  })
}
