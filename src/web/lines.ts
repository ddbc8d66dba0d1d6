/** Links to several lines: `#L3-9`. A click on a number takes one line, with Shift all up to it. And a button that copies the file. */
import { t } from './lib/words.ts'

const range = () => /^#L(\d{1,7})(?:-L?(\d{1,7}))?$/.exec(location.hash)

/** Marks the lines in the URL; the browser marks a single one as `:target`. */
function mark(scrolls: boolean): void {
  for (const line of document.querySelectorAll('.code .marked')) line.classList.remove('marked')
  const [, from, to = from] = range() ?? []
  if (from === undefined) return
  const [first, last] = [Number(from), Number(to)].sort((a, b) => a - b) as [number, number]
  for (let number = first; number <= Math.min(last, first + 20_000); number += 1) {
    document.getElementById(`L${number}`)?.classList.add('marked')
  }
  if (scrolls && from !== to) document.getElementById(`L${first}`)?.scrollIntoView({ block: 'center' })
}

document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('.code a[href^="#L"]') : null
  const start = range()?.[1]
  if (!link || !event.shiftKey || start === undefined) return
  event.preventDefault()
  const [first, last] = [Number(start), Number(link.hash.slice(2))].sort((a, b) => a - b)
  history.replaceState(history.state, '', `#L${first}-${last}`)
  mark(false)
})
addEventListener('hashchange', () => mark(true))
mark(true)

/** `<copy-file>`: a button that copies the file as it is, without the numbers of its lines. */
class CopyFile extends HTMLElement {
  connectedCallback(): void {
    if (this.querySelector('button')) return
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = t`Copy`
    button.addEventListener('click', async () => {
      button.textContent = (await this.#copy()) ? t`Copied` : t`Not copied`
      setTimeout(() => {
        button.textContent = t`Copy`
      }, 2_000)
    })
    this.append(button)
  }

  async #copy(): Promise<boolean> {
    try {
      const answer = await fetch(this.dataset.raw ?? '')
      if (!answer.ok) return false
      await navigator.clipboard.writeText(await answer.text())
      return true
    } catch {
      // Without https there is no clipboard for script.
      return false
    }
  }
}

customElements.define('copy-file', CopyFile)
