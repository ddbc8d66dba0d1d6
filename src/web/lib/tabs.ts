/** On a phone each row of tabs is one line, which scrolls: the tab that is open comes into view. */

export function showOpenTabs(): void {
  for (const tab of document.querySelectorAll<HTMLElement>('.tabs [aria-current]')) {
    const row = tab.closest('ul')
    if (row && row.scrollWidth > row.clientWidth) row.scrollLeft = tab.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2
  }
}
