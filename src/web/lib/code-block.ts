/** `<code-block>`: code in a text, with a button that copies it; diagrams are drawn. */

import { copied } from './copy-text.ts'
import { t } from './words.ts'

export class CodeBlock extends HTMLElement {
  connectedCallback(): void {
    if (this.querySelector('button')) return
    const code = this.querySelector('pre')
    const button = document.createElement('button')
    button.type = 'button'
    button.dataset.own = ''
    button.textContent = t`Copy`
    button.addEventListener('click', async () => {
      button.textContent = (await copied(code)) ? t`Copied` : t`Press Ctrl+C`
      setTimeout(() => {
        button.textContent = t`Copy`
      }, 2_000)
    })
    this.append(button)
    if (code?.querySelector('.language-mermaid')) void showDiagramOf(this)
  }
}

/** `diagrams.ts`, which is loaded on demand. */
interface Diagrams {
  showDiagram: (block: HTMLElement) => void
}

async function showDiagramOf(block: HTMLElement): Promise<void> {
  const address = document.querySelector<HTMLScriptElement>('script[data-diagrams]')?.dataset.diagrams
  if (address) ((await import(address)) as Diagrams).showDiagram(block)
}
