/** The palette of pages and actions, and the list of keys: loaded on demand. */

import { areKeysOff, turnKeys } from './lib/key-choice.ts'
import { t } from './lib/words.ts'

interface Choice {
  label: string
  /** The group of an entry: `Project`, `This page`. */
  kind: string
  choose: () => void
}

const names: Record<string, string> = {
  '?': t`Show the keys`,
  'Ctrl K': t`Open the palette`,
  's /': t`Search`,
  'j k': t`Next and previous entry of a list`,
  Enter: t`Open it`,
  'Ctrl Enter': t`Send the form`,
  Esc: t`Close a menu, leave a field`,
}

const globalNames: Record<string, string> = {
  'g h': t`Home`,
  'g p': t`Your projects`,
  'g g': t`Your groups`,
  'g a': t`Your activity`,
  'g s': t`Your settings`,
}

function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: Array<Node | string>
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(name), properties)
  element.append(...children)
  return element
}

function dialogOf(label: string, ...content: Node[]): HTMLDialogElement {
  document.querySelector('dialog[data-own]')?.remove()
  const dialog = make('dialog', { className: 'sheet', ariaLabel: label }, ...content)
  dialog.dataset.own = ''
  dialog.addEventListener('close', () => dialog.remove())
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close()
  })
  document.body.append(dialog)
  dialog.showModal()
  return dialog
}

const labelOf = (element: Element) => (element.getAttribute('aria-label') ?? element.textContent ?? '').replace(/\s+/g, ' ').trim()

/** The list of all shortcuts of this page, and the switch that disables single keys. */
export function openHelp(globals: Record<string, string>): void {
  const rows = new Map(Object.entries(names))
  if (document.querySelector('link[rel="canonical"]')) rows.set('y', t`Show the permanent address`)
  for (const key of Object.keys(globals)) rows.set(key, globalNames[key] ?? key)
  for (const element of document.querySelectorAll<HTMLElement>('[data-key]')) rows.set(element.dataset.key ?? '', labelOf(element))
  const list = make('dl', { className: 'keys' })
  for (const [keys, name] of rows) {
    const written = keys.split(' ').flatMap((key) => [make('kbd', {}, key), ' '])
    list.append(make('dt', {}, ...written), make('dd', {}, name))
  }
  const box = make('input', { type: 'checkbox', id: 'single-keys', checked: !areKeysOff() })
  box.addEventListener('change', () => turnKeys(box.checked ? 'on' : 'off'))
  const choice = make('p', {}, box, ' ', make('label', { htmlFor: 'single-keys' }, t`Single keys are on in this browser`))
  const close = make('button', { type: 'button' }, t`Close`)
  const dialog = dialogOf(t`Keys`, make('h2', {}, t`Keys`), list, choice, close)
  close.addEventListener('click', () => dialog.close())
}

export function openPalette(): void {
  const field = make('input', {
    type: 'text',
    placeholder: t`Go to a page, a project, a person, an issue, a file`,
    autocomplete: 'off',
    ariaLabel: t`Go to`,
  })
  const list = make('ul', { id: 'palette-choices' })
  list.role = 'listbox'
  list.ariaLabel = t`Choices`
  for (const [name, value] of Object.entries({
    role: 'combobox',
    'aria-expanded': 'true',
    'aria-controls': list.id,
    'aria-autocomplete': 'list',
  })) {
    field.setAttribute(name, value)
  }
  const dialog = dialogOf(t`Palette`, field, list)
  const own = choicesOfPage()
  let shown: Choice[] = []
  let at = 0

  const mark = () => {
    for (const [index, item] of [...list.children].entries()) item.ariaSelected = String(index === at)
    list.children[at]?.scrollIntoView({ block: 'nearest' })
    if (list.children[at]) field.setAttribute('aria-activedescendant', `palette-${at}`)
    else field.removeAttribute('aria-activedescendant')
  }
  const choose = (index: number) => {
    dialog.close()
    shown[index]?.choose()
  }
  const present = (choices: Choice[]) => {
    shown = choices.slice(0, 30)
    at = 0
    list.replaceChildren(
      ...shown.map(({ label, kind }, index) => {
        const item = make('li', { id: `palette-${index}` }, label, ' ', make('small', {}, kind))
        item.role = 'option'
        item.addEventListener('click', () => choose(index))
        return item
      }),
      ...(shown.length === 0 ? [make('li', {}, t`Nothing found`)] : []),
    )
    mark()
  }
  const found = remote((others) => present([...matching(own, field.value), ...others]))
  field.addEventListener('input', () => {
    present(matching(own, field.value))
    found(field.value)
  })
  field.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && shown.length > 0) {
      at = (at + step + shown.length) % shown.length
      mark()
    } else if (event.key === 'Enter') choose(at)
    else return
    event.preventDefault()
  })
  present(own)
  found('')
}

/** Pages that not every page links to. */
const settings: Record<string, string> = {
  'Your profile': '/profile',
  'Your account': '/profile/account',
  'Your SSH keys': '/profile/keys',
  'Your GPG keys': '/profile/gpg_keys',
  'Your email addresses': '/profile/emails',
  'Your access tokens': '/profile/personal_access_tokens',
  'Your applications': '/profile/applications',
  'Your chats': '/profile/chat_names',
  'Your sessions': '/profile/active_sessions',
  'Your preferences': '/profile/preferences',
  'Your password': '/profile/password',
}

/** Links of the navigation, and elements of the page with shortcuts. */
function choicesOfPage(): Choice[] {
  const seen = new Set<string>()
  const elements = document.querySelectorAll<HTMLElement>('.tabs a, [data-key], main .primary, .bar a, .bar button')
  const own = document.querySelector('.bar details.user') ? Object.entries(settings) : []
  const fixed = own.map(([label, address]) => choiceOf(label, t`Settings`, address))
  const found = [...elements].flatMap((element) => {
    const label = labelOf(element)
    if (label === '' || seen.has(label) || element.closest('dialog')) return []
    seen.add(label)
    const place = element.closest('nav')?.ariaLabel ?? (element.closest('.bar') ? t`Service` : t`This page`)
    return { label, kind: place, choose: () => element.click() }
  })
  return [...found, ...fixed]
}

/** Entries with a word that begins with the query come first, then those that contain it. */
function matching(choices: Choice[], typed: string): Choice[] {
  const text = typed.trim().toLowerCase()
  const rank = ({ label }: Choice) => {
    const at = ` ${label.toLowerCase()}`.indexOf(text)
    return at < 0 ? 2 : ` ${label.toLowerCase()}`.includes(` ${text}`) ? 0 : 1
  }
  return choices.filter((choice) => rank(choice) < 2).sort((one, other) => rank(one) - rank(other))
}

/** Projects, groups and search results, requested shortly after the user has stopped typing. */
function remote(show: (choices: Choice[]) => void): (typed: string) => void {
  let late: ReturnType<typeof setTimeout> | undefined
  let running: AbortController | null = null
  return (typed) => {
    clearTimeout(late)
    late = setTimeout(async () => {
      running?.abort()
      running = new AbortController()
      const found = await Promise.all(sources(typed.trim()).map((source) => askSource(source, (running as AbortController).signal)))
      if (!running.signal.aborted) show(found.flat())
    }, 150)
  }
}

interface Source {
  address: string
  kind: string
  /** The label and URL of an entry. */
  entry: (row: Record<string, string>) => [label: string, address: string]
}

/** Shorter queries would match everything. */
const leastSearch_chars = 3

function sources(typed: string): Source[] {
  const isUser = document.querySelector('.bar details.user') !== null
  const query = `per_page=8&search=${encodeURIComponent(typed)}`
  const places: Source[] = [
    {
      address: `/api/v4/projects?simple=true&order_by=last_activity_at&${isUser ? 'membership=true&' : ''}${query}`,
      kind: t`Project`,
      entry: ({ path_with_namespace = '' }) => [path_with_namespace, `/${path_with_namespace}`],
    },
    { address: `/api/v4/groups?${query}`, kind: t`Group`, entry: ({ full_path = '' }) => [full_path, `/${full_path}`] },
  ]
  if (!isUser || typed.length < leastSearch_chars) return places
  const some = `per_page=5&search=${encodeURIComponent(typed)}`
  const titled: Source['entry'] = ({ title = '', web_url = '/' }) => [title, new URL(web_url, location.href).pathname]
  return [
    ...places,
    ...filesOfProject(typed),
    {
      address: `/api/v4/search?scope=users&${some}`,
      kind: t`Person`,
      entry: ({ name = '', username = '' }) => [`${name} @${username}`, `/${username}`],
    },
    { address: `/api/v4/search?scope=issues&${some}`, kind: t`Issue`, entry: titled },
    { address: `/api/v4/search?scope=merge_requests&${some}`, kind: t`Merge request`, entry: titled },
  ]
}

/** Files of the current project: at the revision of the page, or else on the default branch. */
function filesOfProject(typed: string): Source[] {
  const link = ['a[href*="/find_file/"]', '.tabs a[href*="/tree/"]']
    .map((links) => document.querySelector<HTMLAnchorElement>(links))
    .find(Boolean)
  const [, project, ref] = /^\/(.+?)\/(?:find_file|tree)\/(.+)$/.exec(link?.pathname ?? '') ?? []
  if (project === undefined || ref === undefined || /\s/.test(typed)) return []
  const query = `scope=blobs&per_page=5&ref=${ref}&search=${encodeURIComponent(`path:${typed}`)}`
  return [
    {
      address: `/api/v4/projects/${encodeURIComponent(decodeURIComponent(project))}/search?${query}`,
      kind: t`File`,
      entry: ({ path = '' }) => [path, `/${project}/blob/${ref}/${path.split('/').map(encodeURIComponent).join('/')}`],
    },
  ]
}

async function askSource({ address, kind, entry }: Source, signal: AbortSignal): Promise<Choice[]> {
  const rows = (await ask(address, signal)) ?? []
  return rows.map((row) => choiceOf(entry(row)[0], kind, entry(row)[1]))
}

function choiceOf(label: string, kind: string, address: string): Choice {
  return { label, kind, choose: () => location.assign(address) }
}

/** Null if the answer isn't wanted any more, or there is none. */
async function ask(address: string, signal: AbortSignal): Promise<Array<Record<string, string>> | null> {
  try {
    const answer = await fetch(address, { signal })
    return answer.ok ? ((await answer.json()) as Array<Record<string, string>>) : []
  } catch {
    return null
  }
}
