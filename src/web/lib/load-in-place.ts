/** Replaces a link with its target: a file, the next part of a diff, further rows, a list. */

/** Which part of the loaded page to use for a link of this class, and what it replaces. */
export async function loadInPlace(link: HTMLAnchorElement): Promise<void> {
  if (link.getAttribute('aria-busy') === 'true') return
  link.setAttribute('aria-busy', 'true')
  try {
    const answer = await fetch(link.href, { headers: { accept: 'text/html' } })
    if (!answer.ok) throw new Error(String(answer.status))
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    if (!place(link, page)) throw new Error('nothing to show')
  } catch {
    // The page shows the error.
    location.assign(link.href)
  } finally {
    link.removeAttribute('aria-busy')
  }
}

function place(link: HTMLAnchorElement, page: Document): boolean {
  if (link.classList.contains('here')) return replace(link, page.querySelector('.refs'))
  const loaded = page.querySelector('.diff-files')
  const more = link.closest('.more')
  if (link.rel === 'next' && more && loaded) {
    more.replaceWith(...adopted(loaded.children))
    return true
  }
  const file = link.closest('.diff-file')
  const whole = file && page.getElementById(file.id)
  if (!file || !whole) return false
  const body = whole.querySelector('tbody')
  const own = file.querySelector('tbody')
  if (more && body && own) {
    own.append(...adopted(body.children))
    const next = whole.querySelector('.more')
    if (next) more.replaceWith(document.adoptNode(next))
    else more.remove()
    return true
  }
  return replace(file, whole)
}

function replace(old: Element, now: Element | null): boolean {
  if (now) old.replaceWith(document.adoptNode(now))
  return now !== null
}

function adopted(elements: Iterable<Element>): Element[] {
  return [...elements].map((element) => document.adoptNode(element))
}
