/** Renders emoji, as names between colons or as characters, to HTML. */
import { emojiToName, gemoji, nameToEmoji } from 'gemoji'
import { emojiOf } from './emoji-names.ts'

const descriptions = new Map(gemoji.map(({ emoji, description }) => [emoji, description]))

/**
 * `:name:` between spaces or punctuation, or any emoji itself, longer ones first. A part of a longer emoji, as before a skin tone, doesn't
 * match: an element around it would split the whole.
 */
const mention = new RegExp(
  `(?<![\\p{L}\\p{N}:]):([a-z0-9_+-]+):(?![\\p{L}\\p{N}:])|(?<!\\u200d)(?:${Object.keys(emojiToName)
    .sort((a, b) => b.length - a.length)
    .map((emoji) => emoji.replace(/[*]/g, '\\$&'))
    .join('|')})(?![\\u200d\\u{1f3fb}-\\u{1f3ff}])`,
  'gu',
)

/** Whether `:name:` stands for an emoji. */
export function isEmoji(name: string): boolean {
  return emojiOf(name) !== null
}

/** Emoji whose names begin with the text, followed by those that contain it, and by those with a tag or description of that beginning. */
export function findEmoji(text: string, limit: number): Array<{ name: string; emoji: string }> {
  const names = Object.keys(nameToEmoji).filter((name) => name.includes(text))
  const first = names.filter((name) => name.startsWith(text))
  const about = gemoji.filter(({ tags, description }) =>
    [...tags, ...description.toLowerCase().split(' ')].some((word) => word.startsWith(text)),
  )
  const all = new Set([...first, ...names, ...about.flatMap(({ names: [name] }) => (name === undefined ? [] : [name]))])
  return [...all].slice(0, limit).map((name) => ({ name, emoji: nameToEmoji[name] as string }))
}

/** HTML in which every emoji is labeled with its name. Special characters of HTML are escaped. */
export function renderEmoji(text: string): string {
  let html = ''
  let end = 0
  for (const { 0: found, 1: name, index } of text.matchAll(mention)) {
    const emoji = name === undefined ? found : emojiOf(name)
    if (emoji === null) continue
    html += escapeHtml(text.slice(end, index)) + elementOf(emoji, name)
    end = index + found.length
  }
  return html + escapeHtml(text.slice(end))
}

function elementOf(emoji: string, name = emojiToName[emoji] as string): string {
  return `<span title="${escapeHtml(descriptions.get(emoji) ?? name)}" data-name="${name}">${emoji}</span>`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
