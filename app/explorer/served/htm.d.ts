export { default } from 'htm'
