/** Skin tones of emoji, as their names have them: `wave_tone3`. The choice is kept in this browser. */

export interface Emoji {
  name: string
  emoji: string
}

const storage = 'emoji-tone'
const base = /^\p{Emoji_Modifier_Base}$/u

/** Used in browsers without storage, for as long as the page is open. */
let chosen = 0

/** From 1 to 5; 0 for none. */
export function chosenTone(): number {
  try {
    const known = Number(localStorage.getItem(storage) ?? chosen)
    return Number.isInteger(known) && known >= 1 && known <= 5 ? known : 0
  } catch {
    return chosen
  }
}

export function chooseTone(tone: number): void {
  chosen = tone
  try {
    localStorage.setItem(storage, String(tone))
  } catch {
    // Without storage, the choice ends with this page.
  }
}

/** The emoji in this skin tone; as it is if it shows no single person, or has one. */
export function inTone({ name, emoji }: Emoji, tone: number): Emoji {
  const [first = '', ...rest] = emoji
  if (tone === 0 || !base.test(first) || rest.some((char) => base.test(char) || isTone(char))) return { name, emoji }
  const others = rest.filter((char) => char !== '\ufe0f').join('')
  return { name: `${name}_tone${tone}`, emoji: first + signOf(tone) + others }
}

function signOf(tone: number): string {
  return String.fromCodePoint(0x1f3fa + tone)
}

function isTone(char: string): boolean {
  return /^\p{Emoji_Modifier}$/u.test(char)
}
