export { activate, deactivate } from './ui/activate';
