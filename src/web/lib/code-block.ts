/** `<code-block>`: code in a text, with a button that copies it. */
import { copied } from './copy-text.ts'

export class CodeBlock extends HTMLElement {
  connectedCallback(): void {
    if (this.querySelector('button')) return
    const code = this.querySelector('pre')
    const button = document.createElement('button')
    button.type = 'button'
    button.dataset.own = ''
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      button.textContent = (await copied(code)) ? 'Copied' : 'Press Ctrl+C'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, 2_000)
    })
    this.append(button)
  }
}
