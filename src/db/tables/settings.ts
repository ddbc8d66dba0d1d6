/** Settings of the instance. */

/** Instance settings that differ from their defaults (spec 2.21), each as JSON. */
export interface SettingTable {
  name: string
  value: string
}
