/** Messages for screen readers about visible changes. */

let region: HTMLElement | null = null

export function announce(sentence: string): void {
  if (!region?.isConnected) {
    region = document.createElement('p')
    region.className = 'unseen'
    region.dataset.own = ''
    region.setAttribute('role', 'status')
    document.body.append(region)
  }
  region.textContent = sentence
}
