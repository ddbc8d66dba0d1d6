/** Settings of the instance. */

/** Settings of the whole instance that differ from their defaults (spec 2.21), each as JSON. */
export interface SettingTable {
  name: string
  value: string
}
