/** Scripts add to every page: forms sent in place, history, keys, the palette. Without them each page works, too. */
import { Type } from 'typebox'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { Failure, invalid } from '../../src/failure.ts'
import { type Html, html } from '../../src/html/html.ts'
import { anyone, project, signedIn } from '../../src/http/declare/rules.ts'
import { File, text } from '../../src/http/parameters/schema.ts'
import { action, page, type Typed } from '../../src/pages/frame/declaration.ts'
import { field, form, markdownField, problemsOf, textArea, textFieldScript, untouched } from '../../src/pages/frame/forms.ts'
import { copyable, late } from '../../src/pages/frame/parts.ts'
import type { TestUser } from '../support/forge.ts'
import { type Framed, framed } from '../support/framed.ts'
import { cpuBudget } from '../support/run/cpu.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { withoutScript } from './hands.ts'
import { axeOf, browsing, noSidewaysScroll, servedForge } from './support.ts'

cpuBudget(12, 'Menus, dialogs and keys in a browser, with axe.')

const password = 'correct horse battery'
const notes: string[] = []
let acts = 0
let wait: Promise<void> | null = null

const notesView = (token: Html, typed: Typed) => ({
  title: `${notes.length} notes`,
  head: html`<link rel="canonical" href="/-/notes?at=abc">`,
  main: html`<h1>Notes</h1>
<ul class="rows">${notes.map((note, index) => html`<li><a href="/-/note/${index}">${note}</a></li>`)}</ul>
<p>${copyable('Address', 'copied text')}</p>
<a href="/-/note/0" data-key="e">Edit</a>
<details id="more"><summary>More</summary><p>Further down</p></details>
<form method="post" action="/-/other">${token}${textArea('Other', 'other', untouched)}<button>Send other</button></form>
${'\n'.repeat(1)}<p>${'Filling. '.repeat(1500)}</p>
${problemsOf(typed.errors, ['note'])}
${form({ action: '/-/notes', token, submit: 'Add' }, html`${field('Note', 'note', typed)}`)}`,
})

const own = [
  page('GET /-/notes', { access: anyone(), query: { at: Type.Optional(Type.String()) }, show: ({ token }) => notesView(token, untouched) }),
  action('POST /-/notes', {
    access: signedIn(),
    form: { note: text(200) },
    async act({ sent: { note } }) {
      acts += 1
      await wait
      if (note === '') throw invalid({ note: ["can't be blank"] })
      if (note === 'crash') throw new Error('broken inside')
      if (note === 'forbidden') throw new Failure('not_found', '404 Not Found')
      notes.push(note)
      return note === 'elsewhere' ? { redirect: '/-/note/0', notice: 'Here it is.' } : { redirect: '/-/notes', notice: 'Added.' }
    },
    again: ({ token }, typed) => notesView(token, typed),
  }),
  page('GET /-/note/:number', {
    access: anyone(),
    show: ({ params, token }) => ({
      title: `Note ${params.number}`,
      main: html`<h1>Note ${params.number}</h1>${form({ action: '/-/file', token, submit: 'Upload', files: true }, field('File', 'file', untouched, { type: 'file' }))}`,
    }),
  }),
  action('POST /-/file', {
    access: signedIn(),
    form: { file: File },
    act({ sent: { file } }) {
      notes.push(`${file.filename} ${file.bytes.length}`)
      return { redirect: '/-/notes' }
    },
  }),
  page('GET /:project/-/text', {
    access: project('push_code'),
    show: ({ project, token }) => ({
      title: 'Text',
      scripts: [textFieldScript],
      main: html`<h1>Text</h1>${form({ action: '/-/text', token, submit: 'Send' }, markdownField('Text', 'text', untouched, { project, takesFiles: true }))}`,
    }),
  }),
  action('POST /-/text', {
    access: signedIn(),
    form: { text: text(10_000) },
    act({ sent }) {
      notes.push(sent.text)
      return { redirect: '/-/notes' }
    },
  }),
  page('GET /-/late', {
    access: anyone(),
    show: () => ({
      title: 'Late',
      main: (async function* () {
        yield html`<h1>Late</h1><p id="place">Not yet</p>`
        await new Promise((resolve) => setImmediate(resolve))
        yield late('place', html`<b>Here now</b>`)
      })(),
    }),
  }),
]

let served: Framed
let url: string
let user: TestUser

beforeAll(async () => {
  const forge = await servedForge()
  served = await framed(forge, own)
  url = await served.url()
  user = await forge.user({ password })
})

beforeEach(() => {
  notes.splice(0, notes.length, 'First', 'Second')
  acts = 0
  wait = null
})

const mark = `document.documentElement.dataset.marked = 'yes'`
const marked = `document.documentElement.dataset.marked === 'yes'`

test(
  'a form is sent in place: unsent text elsewhere, what is open, focus and scroll stay',
  browsing(async (open) => {
    const tab = await open({ url, user })
    await tab.goto('/-/notes')
    await tab.evaluate(mark)
    await tab.getByLabel('Other').fill('unsent')
    await tab.getByText('More').click()
    await tab.getByLabel('Note').fill('Third')
    const before = await tab.evaluate<number>('scrollY')
    await tab.getByLabel('Note').press('Enter')
    await tab.getByRole('link', { name: 'Third' }).waitFor()

    await expect.poll(() => tab.evaluate(marked)).toBe(true)
    await expect.poll(async () => [before > 0, Math.abs((await tab.evaluate<number>('scrollY')) - before) < 200]).toEqual([true, true])
    await expect.poll(async () => [await tab.title(), new URL(tab.url()).pathname]).toEqual(['3 notes · Gitstead', '/-/notes'])
    await expect.poll(() => tab.getByLabel('Other').inputValue()).toBe('unsent')
    await expect.poll(() => tab.getByLabel('Note').inputValue()).toBe('')
    await expect.poll(() => tab.evaluate('document.activeElement.id')).toBe('note')
    await expect.poll(() => tab.getByText('Further down').isVisible()).toBe(true)
    await expect.poll(() => tab.locator('main .notice').innerText()).toBe('Added.')
    await expect.poll(() => tab.getByRole('button', { name: 'Copy' }).count()).toBe(1)
  }),
)

test(
  'what is wrong stands by the field, with the text, at the address of the page',
  browsing(async (open) => {
    const tab = await open({ url, user })
    await tab.goto('/-/notes')
    await tab.evaluate(mark)
    await tab.getByRole('button', { name: 'Add' }).click()
    await tab.getByText("Note can't be blank").waitFor()

    await expect.poll(async () => [await tab.evaluate(marked), new URL(tab.url()).pathname]).toEqual([true, '/-/notes'])
    await expect.poll(() => tab.evaluate('document.activeElement.id')).toBe('note')
  }),
)

test(
  'another page is shown in place, and back and forward lead through both',
  browsing(async (open) => {
    const tab = await open({ url, user })
    await tab.goto('/-/notes')
    await tab.evaluate(mark)
    await tab.getByLabel('Note').fill('elsewhere')
    await tab.getByRole('button', { name: 'Add' }).click()
    await tab.getByRole('heading', { name: 'Note 0' }).waitFor()
    await expect
      .poll(async () => [await tab.title(), new URL(tab.url()).pathname, await tab.evaluate('scrollY')])
      .toEqual(['Note 0 · Gitstead', '/-/note/0', 0])
    await tab.goBack()
    await tab.getByRole('heading', { name: 'Notes' }).waitFor()
    await expect
      .poll(async () => [await tab.title(), await tab.evaluate<number>('scrollY')])
      .toEqual(['3 notes · Gitstead', expect.any(Number)])
    await tab.goForward()
    await tab.getByRole('heading', { name: 'Note 0' }).waitFor()
    await expect.poll(() => tab.evaluate(marked)).toBe(true)
  }),
)

test(
  'without a connection the text stays, and can be sent again',
  browsing(
    async (open) => {
      const tab = await open({ url, user })
      await tab.goto('/-/notes')
      await tab.getByLabel('Note').fill('Kept')
      await tab.context().setOffline(true)
      await tab.getByRole('button', { name: 'Add' }).click()
      await tab.getByText('there is no connection').waitFor()
      await expect.poll(() => tab.getByLabel('Note').inputValue()).toBe('Kept')
      await tab.context().setOffline(false)
      await tab.getByRole('button', { name: 'Add' }).click()
      await tab.getByRole('link', { name: 'Kept' }).waitFor()
      await expect.poll(() => tab.getByText('there is no connection').count()).toBe(0)
    },
    { expected: /ERR_INTERNET_DISCONNECTED/ },
  ),
)

test(
  'a failure of the server leaves the form as it is, and gives the id of the request',
  browsing(
    async (open) => {
      const tab = await open({ url, user })
      await tab.goto('/-/notes')
      for (const [note, sentence] of [
        ['crash', /the id of this request: [\w-]+/],
        ['forbidden', /There is no such page/],
      ] as const) {
        await tab.getByLabel('Note').fill(note)
        await tab.getByRole('button', { name: 'Add' }).click()
        await tab.getByText(sentence).waitFor()
        await expect.poll(() => tab.getByLabel('Note').inputValue()).toBe(note)
      }
    },
    { expected: /status of 500/ },
  ),
)

test(
  'who is signed out in the middle of a form keeps the text, signs in elsewhere, and sends it',
  browsing(async (open) => {
    const tab = await open({ url, user })
    await tab.goto('/-/notes')
    const cookies = await tab.context().cookies()
    await tab.getByLabel('Note').fill('Long text')
    await tab.context().clearCookies()
    await tab.getByRole('button', { name: 'Add' }).click()
    await tab.locator('form .problems').waitFor()
    await expect.poll(() => tab.getByLabel('Note').inputValue()).toBe('Long text')
    await tab.context().addCookies(cookies)
    await tab.getByRole('button', { name: 'Add' }).click()
    await tab.getByRole('link', { name: 'Long text' }).waitFor()
  }),
)

test(
  'a form that is sent twice is done once',
  browsing(async (open) => {
    const tab = await open({ url, user })
    await tab.goto('/-/notes')
    let go = () => {}
    wait = new Promise((resolve) => {
      go = resolve
    })
    await tab.getByLabel('Note').fill('Once')
    await tab.getByLabel('Note').press('Enter')
    await tab.getByLabel('Note').press('Enter')
    await tab.getByLabel('Note').press('Control+Enter')
    await expect.poll(() => acts).toBe(1)
    go()
    await tab.getByRole('link', { name: 'Once' }).waitFor()
    expect([acts, notes]).toEqual([1, ['First', 'Second', 'Once']])
  }),
)

test(
  'files go the ordinary way',
  browsing(async (open) => {
    const tab = await open({ url, user })
    await tab.goto('/-/note/1')
    await tab.evaluate(mark)
    await tab.getByLabel('File').setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') })
    await tab.getByRole('button', { name: 'Upload' }).click()
    await tab.getByRole('link', { name: 'a.txt 5' }).waitFor()
    await expect.poll(() => tab.evaluate(marked)).toBe(false)
  }),
)

test(
  'keys lead where the page says, are listed, are silent in fields, and can be turned off',
  browsing(async (open) => {
    const tab = await open({ url, user })
    await tab.goto('/-/notes')
    await tab.keyboard.press('j')
    await tab.keyboard.press('j')
    await tab.keyboard.press('k')
    await expect.poll(() => tab.evaluate('document.activeElement.textContent')).toBe('First')
    await tab.keyboard.press('j')
    await tab.keyboard.press('Enter')
    await tab.getByRole('heading', { name: 'Note 1' }).waitFor()
    await tab.goBack()
    await tab.keyboard.press('y')
    await expect.poll(() => tab.url()).toContain('/-/notes?at=abc')
    await tab.getByLabel('Other').pressSequentially('e?j')
    await expect.poll(() => tab.getByLabel('Other').inputValue()).toBe('e?j')
    await tab.keyboard.press('Escape')
    await tab.keyboard.press('?')
    const dialog = tab.getByRole('dialog')
    // Its script comes when it is first wanted.
    await dialog.getByText('Edit').waitFor()
    expect(await axeOf(tab)).toEqual([])
    await dialog.getByLabel('Single keys').uncheck()
    await tab.keyboard.press('Escape')
    await expect.poll(() => dialog.count()).toBe(0)
    await tab.keyboard.press('e')
    await tab.keyboard.press('?')
    await expect.poll(async () => [new URL(tab.url()).pathname, await dialog.count()]).toEqual(['/-/notes', 0])
    await tab.evaluate("localStorage.removeItem('keys')")
    await tab.keyboard.press('s')
    await expect.poll(() => tab.evaluate('document.activeElement.id')).toBe('frame-search')
    await tab.keyboard.press('Escape')
    await tab.keyboard.press('e')
    await tab.getByRole('heading', { name: 'Note 0' }).waitFor()
    await tab.keyboard.press('g')
    await tab.keyboard.press('h')
    await tab.waitForURL('**/')
  }),
)

test(
  'the palette finds pages, actions and projects, by keyboard alone',
  inFullRun('2 s of processor. `search.test.ts` opens what the palette finds.'),
  browsing(async (open) => {
    const forge = await servedForge()
    const { full_path } = await forge.project({ owner: user, name: 'Palimpsest' })
    const tab = await open({ url, user })
    await tab.goto('/-/notes')
    await tab.keyboard.press('Control+k')
    const dialog = tab.getByRole('dialog', { name: 'Palette' })
    await dialog.getByRole('option', { name: /^Edit/ }).waitFor()
    expect(await axeOf(tab)).toEqual([])
    await tab.keyboard.type('palimp')
    await dialog.getByRole('option', { name: new RegExp(full_path) }).waitFor()
    await expect.poll(() => tab.getByRole('combobox').getAttribute('aria-activedescendant')).toBe('palette-0')
    await tab.keyboard.press('Enter')
    await tab.waitForURL(`**/${full_path}`)
    await tab.keyboard.press('Control+k')
    await tab.getByRole('dialog').waitFor()
    await tab.keyboard.press('Escape')
    await expect.poll(() => tab.getByRole('dialog').count()).toBe(0)
  }),
)

test(
  'parts that come late are put into their place, and a value is copied',
  browsing(async (open) => {
    const tab = await open({ url, user })
    await tab.goto('/-/late')
    await tab.locator('#place b').waitFor()
    await tab.goto('/-/notes')
    await tab.getByRole('button', { name: 'Copy' }).click()
    await tab.getByRole('button', { name: 'Copied' }).waitFor()
  }),
)

test(
  'the colours are chosen without script, before the page is painted',
  browsing(async (open) => {
    const tab = await open({ url, script: false, width: 'narrow' })
    await tab.goto('/-/notes')
    await tab.getByRole('button', { name: 'Dark' }).click()
    await expect.poll(() => new URL(tab.url()).pathname).toBe('/-/notes')
    await expect.poll(() => tab.locator('html').getAttribute('data-theme')).toBe('dark')
    await noSidewaysScroll(tab, 'narrow')
    await tab.getByRole('button', { name: 'System' }).click()
    await expect.poll(() => tab.locator('html').getAttribute('data-theme')).toBeNull()
  }),
)

test(
  'without script the same forms do the same',
  withoutScript,
  browsing(async (open) => {
    const tab = await open({ url, user, script: false })
    await tab.goto('/-/notes')
    await tab.getByLabel('Note').fill('Plainly')
    await tab.getByRole('button', { name: 'Add' }).click()
    await tab.getByRole('link', { name: 'Plainly' }).waitFor()
    await tab.getByRole('button', { name: 'Add' }).click()
    await tab.getByText("Note can't be blank").waitFor()
  }),
)

test(
  'a text has a preview with the rights of its writer, completes names and emoji, and takes files',
  browsing(async (open) => {
    const forge = await servedForge()
    const { full_path } = await forge.project({ owner: user, visibility: 'private', name: 'Texts' })
    const tab = await open({ url, user })
    await tab.goto(`/${full_path}/-/text`)
    const text = tab.getByLabel('Text')
    await text.pressSequentially('**bold** [readme](README.md) :smil')
    // A letter takes the selection away until its own suggestions are there.
    await tab.getByRole('option', { name: /smile/, selected: true }).waitFor()
    await tab.keyboard.press('Enter')
    await text.pressSequentially(`@${user.username.slice(0, 4)}`)
    await tab.getByRole('option', { name: new RegExp(user.username), selected: true }).waitFor()
    await tab.keyboard.press('Tab')
    await expect.poll(() => text.inputValue()).toMatch(new RegExp(`:smile\\w*: @${user.username} $`))
    await tab.getByRole('button', { name: 'Preview' }).click()
    await tab.locator('.prose strong').waitFor()
    await expect.poll(() => tab.locator('.prose a', { hasText: 'readme' }).getAttribute('href')).toContain(full_path)
    expect(await axeOf(tab)).toEqual([])
    await tab.getByRole('button', { name: 'Write' }).click()
    await tab.evaluate(`(() => {
      const files = new DataTransfer()
      files.items.add(new File(['hello'], 'note.txt', { type: 'text/plain' }))
      document.querySelector('textarea').dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true }))
    })()`)
    await expect.poll(() => text.inputValue()).toMatch(/\[note\.txt\]\(\/uploads\/[0-9a-f]+\/note\.txt\)/)
    await text.press('Control+Enter')
    await tab.getByRole('heading', { name: 'Notes' }).waitFor()
    expect(notes.at(-1)).toContain('**bold**')
  }),
)

test(
  'an open page says that a push has changed it, and shows it when asked',
  inFullRun('3 s of processor. `live.test.ts` tells of a push; an issue shows what others write in `issues.test.ts`.'),
  browsing(async (open) => {
    const forge = await servedForge()
    const { id, full_path } = await forge.project({ owner: user, name: 'Watched' })
    const tab = await open({ user })
    await tab.goto(`/${full_path}/commits/main`)
    await tab.evaluate(mark)
    await tab.waitForRequest(/\/-\/live/)
    await forge.as(user).post(`/projects/${id}/repository/files/new.txt`, { branch: 'main', content: 'x', commit_message: 'Brand new' })
    await tab.getByText('This page has changed.').waitFor()
    await expect.poll(() => tab.getByText('Brand new').count()).toBe(0)
    await tab.getByRole('button', { name: 'Show' }).click()
    await tab.getByText('Brand new').first().waitFor()
    await expect.poll(async () => [await tab.evaluate(marked), await tab.getByText('This page has changed.').count()]).toEqual([true, 0])
  }),
)
