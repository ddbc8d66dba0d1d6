/** What a notification setting says: a level, and the switches that the level `custom` looks at (spec 2.19). */
import type { NotificationLevel, NotificationSetting } from '../../../db/tables.ts'

export const levels = ['disabled', 'participating', 'watch', 'global', 'mention', 'custom'] as const satisfies readonly NotificationLevel[]

/** Levels as numbers, as members of a project see theirs in its `permissions`. */
export const levelNumbers: Record<NotificationLevel, number> = {
  disabled: 0,
  participating: 1,
  watch: 2,
  global: 3,
  mention: 4,
  custom: 5,
}

export const switches = [
  'new_note',
  'new_issue',
  'reopen_issue',
  'close_issue',
  'reassign_issue',
  'issue_due',
  'new_merge_request',
  'push_to_merge_request',
  'reopen_merge_request',
  'close_merge_request',
  'reassign_merge_request',
  'merge_merge_request',
  'failed_pipeline',
  'success_pipeline',
] as const

export type NotificationSwitch = (typeof switches)[number]
export type Switches = Record<NotificationSwitch, boolean>

/** A setting as others work with it. */
export interface Setting {
  level: NotificationLevel
  switches: Partial<Switches>
}

/** Where nothing was chosen: for a project or group what holds everywhere, and everywhere what one takes part in. */
export const unchosen = {
  place: { level: 'global', switches: {} },
  everywhere: { level: 'participating', switches: {} },
} as const satisfies Record<string, Setting>

export function readSetting({ level, switches }: Pick<NotificationSetting, 'level' | 'switches'>): Setting {
  return { level, switches: JSON.parse(switches) }
}

/** All fourteen. Whoever chooses switches hears of failed pipelines of their own until they say otherwise. */
export function allSwitches({ switches: chosen }: Setting): Switches {
  const fallback = (name: NotificationSwitch) => name === 'failed_pipeline'
  return Object.fromEntries(switches.map((name) => [name, chosen[name] ?? fallback(name)])) as Switches
}

/**
 * The setting that holds: the first that says something of its own, in the order project, its group, the groups above, everywhere.
 *
 * @param nearestFirst one for each place in which the user chose something
 */
export function settingThatHolds(nearestFirst: Setting[], everywhere: Setting = unchosen.everywhere): Setting {
  return nearestFirst.find(({ level }) => level !== 'global') ?? (everywhere.level === 'global' ? unchosen.everywhere : everywhere)
}
