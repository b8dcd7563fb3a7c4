"""The pages that are made of the source, made once in each test process."""

from functools import cache

from scripts.website.pages.made import made_pages

made_once = cache(made_pages)
