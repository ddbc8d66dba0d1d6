/** The script of the sandboxed frame (`/assets/diagrams.html`): draws diagrams that the page around it sends, and sends pictures back. */
import mermaid from 'mermaid'
import type { Asked, Drawn } from './lib/diagram-messages.ts'

/** Larger ones are drawn too slowly to be of use. */
const maxEdges = 500
/** Drawing a larger diagram blocks the page that shows it, for seconds. */
const maxSide_px = 16_000
const maxPicture_chars = 1_000_000

addEventListener('message', ({ data, source }: MessageEvent<Asked>) => {
  if (source === parent) void answer(data)
})
parent.postMessage({ id: 0, picture: '' } satisfies Drawn, '*')

async function answer({ id, text, isDark }: Asked): Promise<void> {
  const picture = await pictureOf(id, text, isDark).catch(() => null)
  // This frame has no origin of its own, and doesn't know that of the page; others can't frame it.
  parent.postMessage({ id, picture } satisfies Drawn, '*')
}

async function pictureOf(id: number, text: string, isDark: boolean): Promise<string> {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    theme: isDark ? 'dark' : 'default',
    fontFamily: 'sans-serif',
    // Words as text of the picture: browsers differ in which HTML they show within one.
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    maxEdges,
    maxTextSize: text.length + 1,
    secure: ['secure', 'securityLevel', 'startOnLoad', 'maxTextSize', 'maxEdges', 'suppressErrorRendering', 'fontFamily', 'htmlLabels'],
  })
  const { svg } = await mermaid.render(`diagram-${id}`, text)
  const holder = document.createElement('div')
  holder.innerHTML = svg
  const drawn = holder.querySelector('svg')
  const [, , width = 0, height = 0] = (drawn?.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number)
  if (!drawn || !(width > 0 && height > 0)) throw new Error('nothing was drawn')
  if (Math.max(width, height) > maxSide_px || svg.length > maxPicture_chars) throw new Error('the picture is too large')
  drawn.setAttribute('width', String(Math.ceil(width)))
  drawn.setAttribute('height', String(Math.ceil(height)))
  drawn.removeAttribute('style')
  return new XMLSerializer().serializeToString(drawn)
}
