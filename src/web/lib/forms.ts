/** Sends forms by fetch, and shows the resulting page in place. */

import { isPage, parsePage, show } from './visit.ts'
import { t } from './words.ts'

const underWay = new WeakSet<HTMLFormElement>()

export function sendForms(): void {
  document.addEventListener('submit', (event) => {
    const { target: form, submitter } = event
    if (event.defaultPrevented || !(form instanceof HTMLFormElement) || form.method !== 'post') return
    if (underWay.has(form)) return event.preventDefault()
    underWay.add(form)
    form.ariaBusy = 'true'
    if (!isSentInPlace(form)) return
    event.preventDefault()
    void send(form, submitter).finally(() => free(form))
  })
  // A page restored from the browser's cache can be submitted again.
  addEventListener('pageshow', () => {
    for (const form of document.forms) free(form)
  })
}

function free(form: HTMLFormElement): void {
  underWay.delete(form)
  form.ariaBusy = null
}

/**
 * Not forms with files, which need a progress display; with passwords, which the browser offers to save; or those marked because they may
 * redirect to another site.
 */
function isSentInPlace(form: HTMLFormElement): boolean {
  const { action } = form
  if (typeof action === 'string' && new URL(action).origin !== location.origin) return false
  if (form.matches('[data-plain], [target], :has([type="password"])')) return false
  return [...form.querySelectorAll<HTMLInputElement>('[type="file"]')].every((input) => !input.files?.length)
}

async function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  for (const old of form.querySelectorAll('[data-own].problems')) old.remove()
  try {
    if (form.dataset.stale !== undefined) await renewToken()
    delete form.dataset.stale
    const fields = new FormData(form, submitter)
    const body = form.enctype === 'multipart/form-data' ? fields : new URLSearchParams(fields as unknown as Record<string, string>)
    const answer = await fetch(form.getAttribute('action') ?? location.href, { method: 'POST', body, headers: { accept: 'text/html' } })
    if (!isPage(answer)) return location.assign(answer.url)
    await showAnswer(form, answer)
  } catch {
    complain(form, t`It was not sent: there is no connection. What you typed is still here. Send it again when you are back online.`)
  }
}

async function showAnswer(form: HTMLFormElement, answer: Response): Promise<void> {
  const page = parsePage(await answer.text())
  const { pathname, search } = new URL(answer.url)
  const failure = page.querySelector('[data-failure]')
  if (failure && answer.status === 403) form.dataset.stale = ''
  if (answer.redirected && pathname === '/users/sign_in' && location.pathname !== pathname) {
    form.dataset.stale = ''
    return complain(form, t`You are no longer signed in. What you typed is still here.`, {
      href: pathname,
      text: t`Sign in in another tab, then send it again`,
    })
  }
  // An error page instead of the form would lose the text.
  if (failure) return complain(form, failure.textContent.replace(/\s+/g, ' ').trim())
  show(page, answer.redirected ? pathname + search : null, { sent: form })
}

/** A new session has another token. */
async function renewToken(): Promise<void> {
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } })
  const found = parsePage(await answer.text()).querySelector<HTMLInputElement>('[name="form_token"]')
  if (found) for (const field of document.querySelectorAll<HTMLInputElement>('[name="form_token"]')) field.value = found.value
}

/** Shows the error in the form. */
function complain(form: HTMLFormElement, sentence: string, link: { href: string; text: string } | null = null): void {
  const place = document.createElement('p')
  place.className = 'problems'
  place.dataset.own = ''
  place.setAttribute('role', 'alert')
  place.append(sentence)
  if (link) {
    const anchor = Object.assign(document.createElement('a'), { href: link.href, target: '_blank', textContent: link.text })
    place.append(' ', anchor)
  }
  form.prepend(place)
  place.scrollIntoView({ block: 'nearest' })
}
