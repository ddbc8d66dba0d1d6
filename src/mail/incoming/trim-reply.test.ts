/** Replies as mail programs write them: what remains is what somebody wrote. */
import { expect, test } from 'vitest'
import { measureComputing } from '../../../test/support/run/cpu.ts'
import { textOfHtml } from './html-text.ts'
import { trimReply } from './trim-reply.ts'

const quoted = '> Is it closed?\n>\n> > Yes.\n> --\n> Open it'

test.each([
  ['plain text', 'Yes, it is.\n\nSee above.', 'Yes, it is.\n\nSee above.'],
  ['a quote below', `Yes.\n\nOn Fri, 1 Mar 2030 at 10:00, Ada <ada@example.com> wrote:\n\n${quoted}\n`, 'Yes.'],
  [
    'a wrapped marker',
    `Yes.\n\nOn Friday, the first of March 2030 at ten o’clock in the morning, Ada\nLovelace <ada@example.com> wrote:\n${quoted}`,
    'Yes.',
  ],
  ['a quote above', `${quoted}\n\nYes.`, `${quoted}\n\nYes.`],
  ['replies between quotes', '> One?\n\nYes.\n\n> Two?\n\nNo.\n', '> One?\n\nYes.\n\n> Two?\n\nNo.'],
  ['a quote below without marks', 'Yes.\n\nOn Friday, Ada wrote:\n\nIs it closed?\nIt should be.', 'Yes.'],
  ['a few words below the quote', `Yes.\n\nOn Friday, Ada wrote:\n${quoted}\n\nBest,\nBea`, 'Yes.'],
  ['a signature', 'Yes.\n-- \nBea\nMaker of valves', 'Yes.'],
  ['a line of strokes', 'Yes.\n________________\nBea', 'Yes.'],
  ['a telephone', 'Yes.\n\nSent from my iPhone', 'Yes.'],
  ['a German telephone', 'Ja.\n\nVon meinem iPhone gesendet', 'Ja.'],
  ['a French telephone', 'Oui.\n\nEnvoyé de mon iPhone', 'Oui.'],
  ['German', `Ja.\n\nAm 01.03.2030 um 10:00 schrieb Ada:\n${quoted}`, 'Ja.'],
  ['French', `Oui.\n\nLe ven. 1 mars 2030 à 10:00, Ada <ada@example.com> a écrit :\n${quoted}`, 'Oui.'],
  ['Spanish', `Sí.\n\nEl vie, 1 mar 2030 a las 10:00, Ada escribió:\n${quoted}`, 'Sí.'],
  ['a marker of another program', `Yes.\n\n2030-03-01 10:00 GMT+01:00 Ada <ada@example.com>:\n${quoted}`, 'Yes.'],
  ['Outlook', 'Yes.\n\nFrom: Ada\nSent: Friday\nTo: Bea\nSubject: Valve\n\nIs it closed?', 'Yes.'],
  ['Outlook in German', 'Ja.\n\nVon: Ada\nGesendet: Freitag\nAn: Bea\nBetreff: Ventil\n\nIst es zu?', 'Ja.'],
  ['a forwarded message', 'Look.\n\n-----Original Message-----\nFrom: Ada\nIs it closed?', 'Look.'],
  ['two lines that look like headers', 'Subject: valve\nDate: soon', 'Subject: valve\nDate: soon'],
  ['a sentence that introduces something', 'On Friday Ada wrote the test:\n\ntrue', 'On Friday Ada wrote the test:\n\ntrue'],
  ['a word that begins a marker', 'On Friday I closed it.\nAm I right?', 'On Friday I closed it.\nAm I right?'],
  ['code and tables', '```\na > b\n```\n\n| a | b |\n| - | - |', '```\na > b\n```\n\n| a | b |\n| - | - |'],
  ['quick actions', '/close\n/label ~bug\n\nOn Friday, Ada wrote:\n> Shut?', '/close\n/label ~bug'],
  ['other line breaks', 'Yes.\r\nReally.\r\n\r\n> No?\r\n', 'Yes.\nReally.'],
  ['a quote alone', quoted, ''],
  ['a quote alone with its marker', `On Friday, Ada wrote:\n${quoted}`, ''],
  ['nothing', ' \n\t\n', ''],
])('of %s the words of the sender remain', (_, sent, kept) => {
  expect(trimReply(sent)).toBe(kept)
})

test('HTML becomes the text that a reader would see, without what it quotes', () => {
  const html = `<html><head><title>T</title><style>p{}</style></head><body dir="auto"><p>Yes,&nbsp;it <b>is</b> &lt;shut&gt;.</p>
    <div>See <a href="https://example.com/a b">the plan</a> or <a href="https://example.com/">https://example.com</a>
    <a href="javascript:alert(1)">here</a><br>Now.</div><ul><li>one</li><li>two</li></ul><script>alert(1)</script><pre>a
  b</pre><div class="gmail_quote">On Friday, Ada wrote:<blockquote>Is it?</blockquote></div>
    <table><tr><td>Valves Inc.</td></tr></table></body></html>`
  expect(trimReply(textOfHtml(html))).toBe(
    'Yes, it is <shut>.\n\nSee [the plan](https://example.com/a%20b) or https://example.com here\nNow.\n\n* one\n* two\n\na\n  b',
  )
  expect(trimReply(textOfHtml('<p>Yes.</p><div id="divRplyFwdMsg">From: Ada</div><p>Is it?</p>'))).toBe('Yes.')
})

/** In milliseconds of the processor. */
function spent(work: () => unknown): number {
  const spent_ms = measureComputing()
  work()
  return spent_ms()
}

test('no text takes long', () => {
  const much = 200_000
  for (const text of [
    `${'> '.repeat(much)}`,
    'On Friday\n'.repeat(much),
    `Yes\n${'On Friday, Ada wrote:\n> a\nb\n'.repeat(much / 10)}`,
    `On ${'a '.repeat(much)}wrote:`,
    `${'<'.repeat(much)}@`,
    'From: a\n'.repeat(much),
    `${'- '.repeat(much)}x`,
  ])
    expect(spent(() => trimReply(text))).toBeLessThan(2_000)
  for (const html of [
    '<div>'.repeat(much),
    '<a href="https://x.example">'.repeat(2_000),
    '<blockquote>'.repeat(much),
    '&'.repeat(much),
    '<'.repeat(much),
  ])
    expect(spent(() => textOfHtml(html))).toBeLessThan(2_000)
})
