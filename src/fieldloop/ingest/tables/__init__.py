"""Tables that teams bring: outcomes, demonstrations and measured facts as CSV or JSON."""
