// Owns what is set for the whole instance: who may register and create servers, its name and logo, and the code with
// which the first registration becomes administrator; also when the last backup was made.
// Does not own: who may change the settings (administration/), and registrations (accounts/).
export { type AdministratorCode, createAdministratorCode } from './administrator-code.ts'
export { findLastBackup, recordBackup } from './instance-setting-store.ts'
export {
  createInstanceSettings,
  type InstanceSettings,
  instanceId,
  type SettingsRecord,
  settingsView,
} from './instance-settings.ts'
