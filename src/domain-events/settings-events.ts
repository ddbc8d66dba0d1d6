/** What happens to the settings of the instance. */

export interface SettingsChanged {
  type: 'settings_changed'
  /** Those that were sent, changed or not. */
  names: string[]
}
