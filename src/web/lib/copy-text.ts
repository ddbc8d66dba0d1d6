/** `<copy-text>`: a value with a button that copies it. */

export class CopyText extends HTMLElement {
  connectedCallback(): void {
    if (this.querySelector('button')) return
    const button = document.createElement('button')
    button.type = 'button'
    button.dataset.own = ''
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      button.textContent = (await copied(this.querySelector('code'))) ? 'Copied' : 'Press Ctrl+C'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, 2_000)
    })
    this.append(button)
  }
}

/** Without HTTPS, scripts have no clipboard: then the value is at least selected. */
async function copied(value: Element | null): Promise<boolean> {
  if (!value) return false
  try {
    await navigator.clipboard.writeText(value.textContent ?? '')
    return true
  } catch {
    getSelection()?.selectAllChildren(value)
    return document.execCommand('copy')
  }
}
