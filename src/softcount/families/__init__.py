"""What a row of counts becomes."""
