export {
  type CheckedOptions,
  type Form,
  type Kind,
  type Option,
  type OptionsOf,
  type OptionTable,
  storedIn,
  wireNamesOf,
} from './option.ts'
