/** `<copy-text>`: a value with a button that copies it. */
import { t } from './words.ts'

export class CopyText extends HTMLElement {
  connectedCallback(): void {
    if (this.querySelector('button')) return
    const button = document.createElement('button')
    button.type = 'button'
    button.dataset.own = ''
    button.textContent = t`Copy`
    button.addEventListener('click', async () => {
      button.textContent = (await copied(this.querySelector('code'))) ? t`Copied` : t`Press Ctrl+C`
      setTimeout(() => {
        button.textContent = t`Copy`
      }, 2_000)
    })
    this.append(button)
  }
}

/** Without https there is no clipboard for script: then the value is selected at least. */
export async function copied(value: Element | null): Promise<boolean> {
  if (!value) return false
  try {
    await navigator.clipboard.writeText(value.textContent ?? '')
    return true
  } catch {
    getSelection()?.selectAllChildren(value)
    return document.execCommand('copy')
  }
}
