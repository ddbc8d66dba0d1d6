/** Task lists in Markdown: how many there are, and how many are done. */

const task = /^\s*(?:[-*+]|\d+[.)])\s+\[([ xX])\]\s/
const fence = /^\s*(`{3,}|~{3,})/

export function countTasks(markdown: string | null): { count: number; completed_count: number } {
  if (markdown === null || !markdown.includes('[')) return { count: 0, completed_count: 0 }
  let [count, completed_count, openFence] = [0, 0, '']
  for (const line of markdown.split('\n')) {
    const marker = fence.exec(line)?.[1]
    if (marker && (openFence === '' || marker.startsWith(openFence))) openFence = openFence === '' ? marker : ''
    const state = openFence === '' ? task.exec(`${line} `)?.[1] : undefined
    if (state === undefined) continue
    count += 1
    if (state !== ' ') completed_count += 1
  }
  return { count, completed_count }
}
