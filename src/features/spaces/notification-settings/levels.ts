/** The values of a notification setting: a level, and the switches that apply at level `custom` (spec 2.19). */
import type { NotificationLevel, NotificationSetting } from '../../../db/tables.ts'

export const levels = ['disabled', 'participating', 'watch', 'global', 'mention', 'custom'] as const satisfies readonly NotificationLevel[]

/** Levels as numbers, which the `permissions` of a project contain. */
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

/** Without a choice: `global` for a project or group, and `participating` globally. */
export const unchosen = {
  place: { level: 'global', switches: {} },
  everywhere: { level: 'participating', switches: {} },
} as const satisfies Record<string, Setting>

export function readSetting({ level, switches }: Pick<NotificationSetting, 'level' | 'switches'>): Setting {
  return { level, switches: JSON.parse(switches) }
}

/** All fourteen. Users who choose switches are notified of failed pipelines of their own until they turn that off. */
export function allSwitches({ switches: chosen }: Setting): Switches {
  const fallback = (name: NotificationSwitch) => name === 'failed_pipeline'
  return Object.fromEntries(switches.map((name) => [name, chosen[name] ?? fallback(name)])) as Switches
}

/**
 * The setting that applies: the first one with a choice, in the order project, its group, the groups above, global.
 * @param nearestFirst one for each place in which the user made a choice
 */
export function settingThatHolds(nearestFirst: Setting[], everywhere: Setting = unchosen.everywhere): Setting {
  return nearestFirst.find(({ level }) => level !== 'global') ?? (everywhere.level === 'global' ? unchosen.everywhere : everywhere)
}
