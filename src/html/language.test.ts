/** The language of pages: which one a browser gets, and how texts, numbers and plurals follow it. */
import { expect, test } from 'vitest'
import { html } from './html.ts'
import { currentLanguage, inLanguage, keepingLanguage, preferredLanguage } from './language.ts'
import { dayAndTime, grouped, relative } from './numbers-and-dates.ts'
import { count } from './phrases.ts'
import { refusalInWords } from './refusals.ts'
import { t, translated } from './sentences.ts'
import { html as untranslated } from './untranslated.ts'

const german = <T>(work: () => T) => inLanguage('de', async () => work())

test('the first language that the browser asks for and that there is; English without one, and for any odd header', () => {
  expect(
    ['de-AT,de;q=0.9,en;q=0.5', 'fr, zh-Hans;q=0.8, de;q=0.7', 'de;q=0, en', 'EN-us', '', '*', 'fr', ';;,q=,=', 'de;q=x', '__proto__'].map(
      preferredLanguage,
    ),
  ).toEqual(['de', 'zh', 'en', 'en', 'en', 'en', 'en', 'en', 'en', 'en'])
})

test('templates, sentences and tables are translated when they are used, and English elsewhere', async () => {
  const table = translated({ save: 'Save', nested: { issues: (number: number) => count(number, 'issue') } })
  const shown = () => [html`<button>Save</button>`.text, t`Delete ${'main'}`, table.save, table.nested.issues(1), table.nested.issues(2)]
  expect(shown()).toEqual(['<button>Save</button>', 'Delete main', 'Save', '1 issue', '2 issues'])
  expect(await german(shown)).toEqual(['<button>Speichern</button>', 'main löschen', 'Speichern', '1 Issue', '2 Issues'])
  expect(await inLanguage('zh', async () => [table.save, table.nested.issues(2)])).toEqual(['保存', '2 个议题'])
  expect(await german(() => untranslated`<button>Save</button>`.text)).toBe('<button>Save</button>')
})

test('values are escaped in every language, and a name that looks like a hole is none', async () => {
  expect(await german(() => t`Delete ${'{0}{1}'}`)).toBe('{0}{1} löschen')
  expect(await german(() => html`<b>Delete ${'<i>'}</b>`.text)).toBe('<b>&lt;i&gt; löschen</b>')
})

test('numbers and dates are those of the language, in UTC', async () => {
  const date = new Date('2026-11-23T21:05:00Z')
  const shown = () => [grouped(1234.5), dayAndTime(date), relative(-3, 'day')]
  expect(shown()).toEqual(['1,234.5', 'Nov 23, 2026, 9:05 PM', '3 days ago'])
  expect(await german(shown)).toEqual(['1.234,5', '23.11.2026, 21:05', 'vor 3 Tagen'])
})

test('parts of a page that are sent later are in its language, whoever waits for them', async () => {
  async function* parts() {
    for (;;) yield currentLanguage()
  }
  const steps = await german(() => keepingLanguage(parts()))
  expect([(await steps.next()).value, (await steps.next()).value, currentLanguage()]).toEqual(['de', 'de', 'en'])
})

test('a refusal of a service is in the language of the page, with its values; an unknown sentence stays as it is', async () => {
  const refused = [
    'Branch already exists',
    'Tag v1 already exists',
    'Name has already been taken',
    'Title is too long (maximum is 255 characters)',
    "Protected branch '{0}$&' already exists",
    'Tag v1 already exists!',
    '{0}',
    '__proto__',
    '',
  ]
  expect(refused.map(refusalInWords)).toEqual(refused)
  expect(await german(() => refused.map(refusalInWords))).toEqual([
    'Diesen Branch gibt es schon',
    'Den Tag v1 gibt es schon',
    'Dieser Name ist schon vergeben',
    'Title: zu lang (höchstens 255 Zeichen)',
    '„{0}$&“ ist schon geschützt',
    'Tag v1 already exists!',
    '{0}',
    '__proto__',
    '',
  ])
  expect(await inLanguage('zh', async () => refusalInWords('Path is invalid'))).toBe('Path：无效')
})
