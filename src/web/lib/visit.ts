/** Replaces the current page with another, or a newer version: focus, scroll position and unsent text are kept. */
import { Idiomorph } from 'idiomorph'
import { announce } from './announce.ts'
import { showCounts } from './counts.ts'
import { placeLate } from './late.ts'
import { showOpenTabs } from './tabs.ts'

/** Path and query of the page that is shown: on going back, the browser's URL has changed already. */
let shown = location.pathname + location.search

export function parsePage(text: string): Document {
  const page = new DOMParser().parseFromString(text, 'text/html')
  placeLate(page)
  return page
}

/**
 * Shows a page. If it is the same page as before, unsent text and opened elements are kept, except in `sent`, the form that led here.
 * @param address null if the URL doesn't change, as for a form that is shown again with errors
 */
export function show(
  page: Document,
  address: string | null,
  { sent = null, push = true }: { sent?: Element | null; push?: boolean } = {},
): void {
  const url = new URL(address ?? shown, location.href)
  // A new version of the server is running: a full load gets its scripts and styles.
  if (assetsOf(page) !== assetsOf(document)) {
    location.assign(url)
    return
  }
  const isSame = url.pathname + url.search === shown
  if (address !== null && push) {
    rememberScroll()
    history[isSame ? 'replaceState' : 'pushState']({ isOurs: true }, '', url)
  }
  shown = url.pathname + url.search
  morphHead(page)
  const top = scrollY
  void Idiomorph.morph(document.body, page.body, { morphStyle: 'innerHTML', callbacks: callbacksFor(isSame, sent) })
  document.body.className = page.body.className
  if (!isSame) showOpenTabs()
  showCounts(sent !== null)
  scrollTo({ top: isSame ? top : 0, behavior: 'instant' })
  if (url.hash) partCalled(url.hash)?.scrollIntoView()
  const wrong = document.querySelector<HTMLElement>('main [aria-invalid]')
  if (address === null && wrong) wrong.focus()
  // Notices and errors are announced where they appear.
  if (!isSame) announce(document.title)
}

function callbacksFor(isSame: boolean, sent: Element | null) {
  const isKept = (node: Node) => isSame && node instanceof Element && !sent?.contains(node)
  return {
    beforeNodeMorphed: (old: Node) => !(isKept(old) && isUnsent(old)),
    // Keeps elements that scripts have added.
    beforeNodeRemoved: (node: Node) =>
      !(
        node instanceof HTMLElement &&
        (node.dataset.own !== undefined || ((node as HTMLDialogElement).open === true && node.tagName === 'DIALOG'))
      ),
    beforeAttributeUpdated: (name: string, element: Element) =>
      !(name === 'open' && isKept(element) && !(sent && element.contains(sent)) && !element.matches('.menu')),
  }
}

/** Whether it contains input that no page knows of. */
function isUnsent(node: Node): boolean {
  if (node instanceof HTMLTextAreaElement) return node.value !== node.defaultValue
  if (node instanceof HTMLSelectElement)
    return [...node.options].some((option) => option.selected !== option.defaultSelected && option.value !== '')
  if (!(node instanceof HTMLInputElement) || node.type === 'hidden') return false
  return node.type === 'file' ? node.value !== '' : node.value !== node.defaultValue || node.checked !== node.defaultChecked
}

function assetsOf(page: Document): string {
  return [...page.querySelectorAll('link[rel="stylesheet"], script[src*="/main-"]')]
    .map((one) => one.getAttribute('href') ?? one.getAttribute('src'))
    .join()
}

/** Updates the title, feeds and the like. New scripts are loaded; running ones stay. */
function morphHead(page: Document): void {
  document.title = page.title
  document.documentElement.dataset.theme = page.documentElement.dataset.theme ?? ''
  const passing = 'link:not([rel="stylesheet"], [rel="icon"]), meta[name]:not([name="viewport"])'
  for (const element of document.head.querySelectorAll(passing)) element.remove()
  document.head.append(...page.head.querySelectorAll(passing))
  for (const { src, dataset } of page.head.querySelectorAll('script')) {
    if ([...document.scripts].some((one) => one.src === src)) continue
    const script = document.createElement('script')
    script.type = 'module'
    script.src = src
    Object.assign(script.dataset, dataset)
    document.head.append(script)
  }
}

/** Fetches the current page again, or the one at `address`. Does nothing without a connection. */
export async function refresh(address = shown): Promise<void> {
  const answer = await fetch(address, { headers: { accept: 'text/html' } }).catch(() => null)
  if (!answer) return
  if (!isPage(answer)) return location.assign(address)
  const page = parsePage(await answer.text())
  const { pathname, search } = new URL(answer.url)
  show(page, pathname + search + location.hash, { push: answer.redirected })
}

export function isPage(answer: Response): boolean {
  return (answer.headers.get('content-type') ?? '').startsWith('text/html') && new URL(answer.url).origin === location.origin
}

function rememberScroll(): void {
  history.replaceState({ ...history.state, scroll: scrollY }, '')
}

/** The part of the page that a fragment names: the ids of texts begin with a prefix, which links from elsewhere don't know. */
function partCalled(hash: string): HTMLElement | null {
  try {
    const id = decodeURIComponent(hash.slice(1))
    return document.getElementById(id) ?? document.getElementById(`user-content-${id}`)
  } catch {
    // No address of ours.
    return null
  }
}

/** Scrolls to the parts that browsers don't find by themselves. */
export function followParts(): void {
  const follow = () => {
    const part = location.hash.length > 1 ? partCalled(location.hash) : null
    if (part && !part.matches(':target')) part.scrollIntoView()
  }
  addEventListener('hashchange', follow)
  follow()
}

/** Back and forward between pages that were shown in place. */
export function followHistory(): void {
  addEventListener('popstate', async ({ state }) => {
    const { pathname, search } = location
    // Only the fragment has changed.
    if (pathname + search === shown) return
    await refresh(pathname + search)
    if (typeof state?.scroll === 'number') scrollTo({ top: state.scroll, behavior: 'instant' })
  })
  document.addEventListener('page:changed', () => void refresh())
}
