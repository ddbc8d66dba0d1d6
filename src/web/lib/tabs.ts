/** On small screens each row of tabs is one line that scrolls: scrolls the current tab into view. */

export function showOpenTabs(): void {
  for (const tab of document.querySelectorAll<HTMLElement>('.tabs [aria-current]')) {
    const row = tab.closest('ul')
    if (row && row.scrollWidth > row.clientWidth) row.scrollLeft = tab.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2
  }
}
