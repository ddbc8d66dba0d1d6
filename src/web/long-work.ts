/** Pages of long work show how far it is, without loading the page again, as long as somebody looks. */

const interval_ms = 2_000

async function look(): Promise<void> {
  if (document.hidden) return
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => null)
  if (!answer?.ok) return
  // The work has ended, and its page leads on.
  if (answer.redirected && answer.url !== location.href) return location.assign(answer.url)
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const [bar, words] = ['progress', '.progress p'].map((selector) => fresh.querySelector(`main ${selector}`))
  // What has another shape now is loaded as a whole.
  if (!bar || !words) return location.reload()
  document.querySelector('main progress')?.replaceWith(bar)
  document.querySelector('main .progress p')?.replaceWith(words)
}

setInterval(() => void look(), interval_ms)
