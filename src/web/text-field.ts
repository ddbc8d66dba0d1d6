/** `<text-field>`: a textarea for Markdown with a preview, completions of names and emoji, and upload of dropped or pasted files. */
import { t } from './lib/words.ts'
import '@github/text-expander-element'

interface Suggestion {
  value: string
  label: string
}

type Source = (text: string, project: string | null) => Promise<Suggestion[]>

/** In a project: issues, labels, milestones, quick actions. */
const ofProject =
  (key: string): Source =>
  (text, project) =>
    project === null ? Promise.resolve([]) : ask(`/${project}/-/completions?${new URLSearchParams({ key, search: text })}`)

/** The sources of completions, by their sign. */
const sources: Record<string, Source> = {
  '@': async (text, project) => {
    const place = project === null ? '/api/v4/users' : `/api/v4/projects/${encodeURIComponent(project)}/users`
    const found = await ask<{ username: string; name: string }>(`${place}?per_page=8&search=${encodeURIComponent(text)}`)
    return found.map(({ username, name }) => ({ value: `@${username}`, label: `${name} @${username}` }))
  },
  ':': async (text) => {
    if (text.length < 2) return []
    const found = await ask<{ name: string; emoji: string }>(`/-/emoji?search=${encodeURIComponent(text)}`)
    return found.map(({ name, emoji }) => ({ value: `:${name}:`, label: `${emoji} ${name}` }))
  },
  '#': ofProject('#'),
  '!': ofProject('!'),
  $: ofProject('$'),
  '~': ofProject('~'),
  '%': ofProject('%'),
  '/': ofProject('/'),
}

async function ask<T>(address: string): Promise<T[]> {
  const answer = await fetch(address).catch(() => null)
  return answer?.ok ? ((await answer.json()) as T[]) : []
}

function button(text: string): HTMLButtonElement {
  return Object.assign(document.createElement('button'), { type: 'button', textContent: text })
}

type Menu = { matched: boolean; fragment?: HTMLElement }

class TextField extends HTMLElement {
  #preview: HTMLElement | null = null
  #newest: Promise<Menu> | null = null

  connectedCallback(): void {
    const text = this.querySelector('textarea')
    if (!text || this.#preview) return
    this.#addPreview(text)
    this.#addChoices()
    if (this.hasAttribute('uploads')) this.#takeFiles(text)
  }

  /** Requests by session need the form token to write. */
  #headers(): Record<string, string> {
    return { 'x-csrf-token': this.closest('form')?.querySelector<HTMLInputElement>('[name="form_token"]')?.value ?? '' }
  }

  #addPreview(text: HTMLTextAreaElement): void {
    const [write, look] = [button(t`Write`), button(t`Preview`)]
    const bar = document.createElement('p')
    const preview = document.createElement('div')
    bar.className = 'switch'
    preview.className = 'prose'
    for (const one of [bar, preview]) one.dataset.own = ''
    preview.hidden = true
    preview.tabIndex = 0
    preview.setAttribute('aria-live', 'polite')
    const turn = (isPreview: boolean) => {
      preview.hidden = !isPreview
      text.hidden = isPreview
      write.ariaPressed = String(!isPreview)
      look.ariaPressed = String(isPreview)
    }
    write.addEventListener('click', () => {
      turn(false)
      text.focus()
    })
    look.addEventListener('click', async () => {
      preview.style.minHeight = `${text.offsetHeight}px`
      preview.textContent = t`Loading…`
      turn(true)
      await this.#render(text.value, preview)
    })
    bar.append(write, look)
    turn(false)
    text.before(bar)
    text.after(preview)
    this.#preview = preview
    // Errors must be visible, and so must the field.
    text.addEventListener('invalid', () => turn(false))
    text.form?.addEventListener('submit', () => turn(false))
  }

  async #render(text: string, into: HTMLElement): Promise<void> {
    const project = this.getAttribute('project')
    const body = JSON.stringify({ text, gfm: true, ...(project && { project }) })
    const headers = { 'content-type': 'application/json', ...this.#headers() }
    const answer = await fetch('/api/v4/markdown', { method: 'POST', body, headers }).catch(() => null)
    if (!answer?.ok)
      into.textContent = answer?.status === 413 ? t`The text is too long for a preview.` : t`There is no preview at the moment.`
    else if (text.trim() === '') into.textContent = t`Nothing to preview.`
    // The HTML is as safe as on every page: the server has sanitized it, and the policy of the page forbids scripts.
    else into.innerHTML = ((await answer.json()) as { html: string }).html
  }

  #addChoices(): void {
    const expander = this.querySelector('text-expander')
    expander?.addEventListener('text-expander-change', (event) => {
      const { key, text, provide } = (event as CustomEvent<{ key: string; text: string; provide: (given: Promise<unknown>) => void }>)
        .detail
      provide(this.#newestMenu(this.#menuFor(key, text)))
    })
    expander?.addEventListener('text-expander-value', (event) => {
      const { detail } = event as CustomEvent<{ item: HTMLElement; value: string | undefined }>
      detail.value = detail.item.dataset.value
    })
  }

  /** Answers may arrive out of order: an older one never replaces a newer one. */
  async #newestMenu(asked: Promise<Menu>): Promise<Menu> {
    this.#newest = asked
    let menu: Menu
    let awaited: Promise<Menu>
    do {
      awaited = this.#newest
      menu = await awaited
    } while (awaited !== this.#newest)
    return menu
  }

  async #menuFor(key: string, typed: string): Promise<Menu> {
    const found = (await sources[key]?.(typed, this.getAttribute('project'))) ?? []
    if (found.length === 0) return { matched: false }
    const menu = document.createElement('ul')
    menu.className = 'choices'
    menu.role = 'listbox'
    menu.ariaLabel = t`Suggestions`
    menu.append(
      ...found.map(({ value, label }) => {
        const item = Object.assign(document.createElement('li'), { textContent: label })
        item.role = 'option'
        item.dataset.value = value
        return item
      }),
    )
    return { matched: true, fragment: menu }
  }

  #takeFiles(text: HTMLTextAreaElement): void {
    const take = (event: Event, files: FileList | undefined) => {
      if (!files?.length) return
      event.preventDefault()
      for (const file of files) void this.#upload(text, file)
    }
    text.addEventListener('paste', (event) => take(event, event.clipboardData?.files))
    text.addEventListener('drop', (event) => take(event, event.dataTransfer?.files))
    text.addEventListener('dragover', (event) => {
      if (event.dataTransfer?.types.includes('Files')) event.preventDefault()
    })
  }

  /** A placeholder is in the text until the link replaces it. The form can't be sent meanwhile. */
  async #upload(text: HTMLTextAreaElement, file: File): Promise<void> {
    const note = `[Uploading ${file.name.replaceAll(/[[\]]/g, '')}…]()`
    text.setRangeText(note, text.selectionStart, text.selectionEnd, 'end')
    text.setCustomValidity(t`A file is still being uploaded.`)
    const body = new FormData()
    body.append('file', file)
    const answer = await fetch(this.getAttribute('uploads') ?? '', { method: 'POST', body, headers: this.#headers() }).catch(() => null)
    const link = answer?.ok ? ((await answer.json()) as { markdown: string }).markdown : ''
    text.value = text.value.replace(note, () => link)
    text.setCustomValidity('')
    if (link === '') this.#complain(answer?.status === 413 ? t`${file.name} is too large.` : t`${file.name} could not be uploaded.`)
    text.dispatchEvent(new Event('input', { bubbles: true }))
  }

  #complain(sentence: string): void {
    const place = Object.assign(document.createElement('p'), { className: 'error', textContent: sentence })
    place.dataset.own = ''
    place.setAttribute('role', 'alert')
    this.append(place)
    setTimeout(() => place.remove(), 10_000)
  }
}

customElements.define('text-field', TextField)
