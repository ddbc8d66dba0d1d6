/** Whether single-key shortcuts are enabled: chosen in the list of keys, for this browser. */

const name = 'keys'

export function areKeysOff(): boolean {
  return localStorage.getItem(name) === 'off'
}

export function turnKeys(state: 'on' | 'off'): void {
  localStorage.setItem(name, state)
}
