"""html.parser reads a page of 40 paragraphs."""

from copied.html.parser import HTMLParser


class Parser(HTMLParser):
    def handle_starttag(self, tag, attrs):
        pass


PAGE = "<html>" + "".join(f"<p class='c{i}'>t{i}<b>x</b>&amp;</p>" for i in range(40)) + "</html>"

Parser().feed(PAGE)
