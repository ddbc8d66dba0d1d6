/** Settings of the instance, and its appearance. */

/** Instance settings that differ from their defaults (spec 2.21), each as JSON. */
export interface SettingTable {
  name: string
  value: string
}

/** A part of the appearance that was set. */
export interface AppearanceTable {
  name: string
  /** As JSON; of an image its file name. */
  value: string
  /** The key of an image. */
  store_key: string | null
}
