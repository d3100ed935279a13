// The default theme without its web font: the site loads nothing from elsewhere, and stays small.
import theme from 'vitepress/theme-without-fonts'
import './style.css'

export default theme
